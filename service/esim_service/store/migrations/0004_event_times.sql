-- The time of the newest event: the next one is not earlier, whatever the clock of its process says.
ALTER TABLE accounts ADD COLUMN last_event_at BIGINT NOT NULL DEFAULT 0;
