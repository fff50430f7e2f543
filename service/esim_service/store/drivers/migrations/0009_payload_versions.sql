-- Which version of the digests payload has, 0 for that of services that stored none. A later version
-- must still know a retry of a request that an earlier one has answered.
ALTER TABLE answers ADD COLUMN payload_version BIGINT NOT NULL DEFAULT 0;
