-- Each fits a statement best, whatever the database knows about the number of rows: a reader of one
-- order must not look at all eSIMs of the partner, or a job at all of its top-ups.
DROP INDEX esims_of_order;
CREATE INDEX esims_by_order ON esims (partner_id, mode, order_id, esim_id);
DROP INDEX topups_of_account;
CREATE INDEX topups_of_account ON topups (partner_id, mode, topup_id);
