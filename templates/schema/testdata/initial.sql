-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"B"}]}]}
-- The default of orders.status stays 'A': SQLite can't change it. Generated guards write the initial state themselves.

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"B"}]}]}

ALTER TABLE "orders" ALTER COLUMN "status" SET DEFAULT 'B';

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"B"}]}]}

ALTER TABLE `orders` ALTER COLUMN `status` SET DEFAULT 'B';

