-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":70}]}

DROP TRIGGER `shop`.`order_group_states_insert`;

DROP TRIGGER `shop`.`order_group_states_update`;

CREATE TRIGGER `shop`.`order_group_states_insert` BEFORE INSERT ON `order` WHEN NOT (NEW.`group` IN ('NEW', '支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

CREATE TRIGGER `shop`.`order_group_states_update` BEFORE UPDATE OF `group` ON `order` WHEN NOT (NEW.`group` IN ('NEW', '支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

DROP TABLE IF EXISTS temp.idem_strays;

CREATE TEMP TABLE idem_strays (rows_without_state INTEGER CHECK (rows_without_state = 0));

INSERT INTO temp.idem_strays SELECT COUNT(*) FROM `shop`.`order` WHERE NOT (`group` IN ('NEW', '支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支'));

DROP TABLE temp.idem_strays;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":70}]}

ALTER TABLE "shop"."order" DROP CONSTRAINT "order_group_states", ADD CONSTRAINT "order_group_states" CHECK ("group" IN ('NEW', '支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支'));

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":70}]}

ALTER TABLE `shop`.`order` MODIFY `group` VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'NEW';

ALTER TABLE `shop`.`order` DROP CONSTRAINT `order_group_states`, ADD CONSTRAINT `order_group_states` CHECK (CAST(`group` AS BINARY) IN ('NEW', '支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支支'));

ALTER TABLE `shop`.`order_history` MODIFY from_state VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL, MODIFY to_state VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;

