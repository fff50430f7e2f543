-- A reader of one order must not look at all eSIMs of the partner, whatever the database knows about
-- the number of rows: this index fits best, and has their order.
DROP INDEX esims_of_order;
CREATE INDEX esims_by_order ON esims (partner_id, mode, order_id, esim_id);
