-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

CREATE TYPE "shop"."order_group" AS ENUM ('NEW', 'DONE');

ALTER TABLE "shop"."order" DROP CONSTRAINT "order_group_states";

ALTER TABLE "shop"."order" ALTER COLUMN "group" DROP DEFAULT, ALTER COLUMN "group" TYPE "shop"."order_group" USING CAST(CAST("group" AS TEXT) AS "shop"."order_group"), ALTER COLUMN "group" SET DEFAULT 'NEW';

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}

ALTER TABLE `shop`.`order` DROP CONSTRAINT `order_group_states`;

ALTER TABLE `shop`.`order` MODIFY `group` ENUM('NEW', 'DONE') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'NEW';

