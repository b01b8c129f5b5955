-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","HELD","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

DROP TRIGGER `shop`.`order_group_states_insert`;

DROP TRIGGER `shop`.`order_group_states_update`;

CREATE TRIGGER `shop`.`order_group_states_insert` BEFORE INSERT ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'HELD', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

CREATE TRIGGER `shop`.`order_group_states_update` BEFORE UPDATE OF `group` ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'HELD', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","HELD","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

CREATE TYPE "shop"."order_group_new" AS ENUM ('NEW', 'HELD', 'DONE');

ALTER TABLE "shop"."order" ALTER COLUMN "group" DROP DEFAULT, ALTER COLUMN "group" TYPE "shop"."order_group_new" USING CAST(CAST("group" AS TEXT) AS "shop"."order_group_new"), ALTER COLUMN "group" SET DEFAULT 'NEW';

DROP TYPE "shop"."order_group";

ALTER TYPE "shop"."order_group_new" RENAME TO "order_group";

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","HELD","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE `shop`.`order` MODIFY `group` ENUM('NEW', 'HELD', 'DONE') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'NEW';

