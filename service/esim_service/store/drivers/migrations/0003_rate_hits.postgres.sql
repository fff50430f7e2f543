-- The requests of the last window per key and class, for processes that share their limits.
-- Unlogged: no request waits for a disk; after a crash of the server the windows are empty.
CREATE UNLOGGED TABLE rate_hits (
    bucket TEXT COLLATE "C" NOT NULL,
    taken_at BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (bucket, taken_at, number)
);

-- One call for each request, so that no lock is held while a process is asked. Microseconds.
-- given: the time, in place of that of the server. wait: until one more request is allowed.
CREATE FUNCTION take_rate(
    wanted TEXT, most BIGINT, span BIGINT, given BIGINT,
    OUT allowed BIGINT, OUT used BIGINT, OUT wait BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
    moment BIGINT;
    latest BIGINT;
    newest BIGINT;
    oldest BIGINT;
BEGIN
    -- The lock space of two numbers is apart from that of names that are held.
    PERFORM pg_advisory_xact_lock(1, hashtext(wanted));
    SELECT taken_at, number INTO latest, newest FROM rate_hits
        WHERE bucket = wanted ORDER BY taken_at DESC, number DESC LIMIT 1;
    moment := COALESCE(given, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT);
    IF latest > moment THEN
        -- The clock was set back. As if it had just come, a request counts for one more window.
        UPDATE rate_hits SET taken_at = moment WHERE bucket = wanted AND taken_at > moment;
    END IF;
    DELETE FROM rate_hits WHERE bucket = wanted AND taken_at <= moment - span;
    SELECT number INTO oldest FROM rate_hits
        WHERE bucket = wanted ORDER BY taken_at, number LIMIT 1;
    used := COALESCE(newest - oldest + 1, 0);
    allowed := (used < most)::INTEGER;
    IF allowed = 1 THEN
        used := used + 1;
        INSERT INTO rate_hits (bucket, taken_at, number)
            VALUES (wanted, moment, COALESCE(newest, 0) + 1);
    END IF;
    -- When the limit was lowered, more than the oldest one has to go.
    SELECT taken_at + span - moment INTO wait FROM rate_hits
        WHERE bucket = wanted ORDER BY taken_at, number
        OFFSET GREATEST(0, used - most) LIMIT 1;
    wait := COALESCE(wait, span);
END
$$;
