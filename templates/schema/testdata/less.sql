-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite"}
-- shop.order is guarded no more; its columns and checks stay.
-- shop.order_history gets no rows any more; it stays.

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres"}
-- shop.order is guarded no more; its columns and checks stay.
-- shop.order_history gets no rows any more; it stays.

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql"}
-- shop.order is guarded no more; its columns and checks stay.
-- shop.order_history gets no rows any more; it stays.

