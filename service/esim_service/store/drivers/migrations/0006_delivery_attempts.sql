-- What was tried to deliver each event, for as long as the event is kept. next_at is NULL after the
-- last attempt. Ids ascend with time, so that the oldest are found without an index of their own.
CREATE TABLE delivery_attempts (
    delivery_id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    milliseconds BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    status BIGINT,
    next_at BIGINT,
    PRIMARY KEY (delivery_id, number)
);
CREATE INDEX attempts_of_account ON delivery_attempts (partner_id, mode);
