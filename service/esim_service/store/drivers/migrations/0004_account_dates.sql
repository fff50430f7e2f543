-- The latest date of anything that was made under an account, whichever clock said so: what is made
-- later is never dated earlier, so that lists by date are in the order of their making.
ALTER TABLE accounts ADD COLUMN dated_at BIGINT NOT NULL DEFAULT 0;
UPDATE accounts SET dated_at = (
    SELECT created_at FROM events
        WHERE events.partner_id = accounts.partner_id AND events.mode = accounts.mode
    UNION ALL SELECT created_at FROM orders
        WHERE orders.partner_id = accounts.partner_id AND orders.mode = accounts.mode
    UNION ALL SELECT accounts.updated_at
    ORDER BY 1 DESC LIMIT 1
);
