-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE "shop"."order" ALTER COLUMN "group" DROP DEFAULT, ALTER COLUMN "group" TYPE TEXT USING CAST(CAST("group" AS TEXT) AS TEXT), ALTER COLUMN "group" SET DEFAULT 'NEW';

DROP TYPE "shop"."order_group";

ALTER TABLE "shop"."order" ADD CONSTRAINT "order_group_states" CHECK ("group" IN ('NEW', 'DONE'));

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE `shop`.`order` MODIFY `group` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'NEW';

ALTER TABLE `shop`.`order` ADD CONSTRAINT `order_group_states` CHECK (CAST(`group` AS BINARY) IN ('NEW', 'DONE'));

