-- The rows of an account have its epoch in the column mode: the mode itself at first, and another
-- text after each reset of the sandbox, for which all earlier rows are those of another account.
ALTER TABLE accounts ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
UPDATE accounts SET epoch = mode;

-- The rows of these are still to be removed.
CREATE TABLE ended_epochs (
    partner_id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    PRIMARY KEY (partner_id, epoch)
);
