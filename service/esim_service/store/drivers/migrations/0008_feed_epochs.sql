-- Cursors of the feed name the epoch in which they were issued. A restore begins another one, because
-- what a cursor has passed may never have happened then.
ALTER TABLE accounts ADD COLUMN feed_epoch BIGINT NOT NULL DEFAULT 0;
