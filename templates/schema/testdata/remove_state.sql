-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

DROP TRIGGER `shop`.`order_group_states_insert`;

DROP TRIGGER `shop`.`order_group_states_update`;

CREATE TRIGGER `shop`.`order_group_states_insert` BEFORE INSERT ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

CREATE TRIGGER `shop`.`order_group_states_update` BEFORE UPDATE OF `group` ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

DROP TABLE IF EXISTS temp.idem_strays;

CREATE TEMP TABLE idem_strays (rows_without_state INTEGER CHECK (rows_without_state = 0));

INSERT INTO temp.idem_strays SELECT COUNT(*) FROM `shop`.`order` WHERE NOT (`group` IN ('NEW', 'DONE'));

DROP TABLE temp.idem_strays;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE "shop"."order" DROP CONSTRAINT "order_group_states", ADD CONSTRAINT "order_group_states" CHECK ("group" IN ('NEW', 'DONE'));

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE `shop`.`order` DROP CONSTRAINT `order_group_states`, ADD CONSTRAINT `order_group_states` CHECK (CAST(`group` AS BINARY) IN ('NEW', 'DONE'));

