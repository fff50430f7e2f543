-- From then on a key is no longer in force; NULL when it is until it is revoked.
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
