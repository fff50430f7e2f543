-- Times are milliseconds since 1970, amounts ten-thousandths of a dollar, all ids text.
-- Ids are ordered by their bytes (COLLATE "C"), whatever the locale of the database.
-- No foreign keys: rows of one partner are removed in bulk by one transaction (sandbox reset).

CREATE TABLE partners (
    partner_id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- One row per partner and mode. last_event counts the feed: who writes an event holds this row.
CREATE TABLE accounts (
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    balance BIGINT NOT NULL,
    low_threshold BIGINT NOT NULL,
    low_reported BIGINT NOT NULL,
    last_event BIGINT NOT NULL,
    purged_event BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, mode)
);

CREATE TABLE api_keys (
    key_id TEXT COLLATE "C" PRIMARY KEY,
    digest BYTEA NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    read_limit BIGINT,
    write_limit BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE TABLE ledger (
    entry_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    subject_id TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX ledger_of_account ON ledger (partner_id, mode, entry_id);

-- body is the entry as the contract writes it; the columns are what rules and filters need.
CREATE TABLE plans (
    plan_id TEXT COLLATE "C" PRIMARY KEY,
    plan_type TEXT NOT NULL,
    coverage TEXT NOT NULL,
    price BIGINT NOT NULL,
    data_bytes BIGINT,
    per_day BIGINT NOT NULL,
    validity_days BIGINT,
    starts_on TEXT NOT NULL,
    topup_supported BIGINT,
    available BIGINT NOT NULL,
    body BYTEA NOT NULL
);
CREATE INDEX plans_by_coverage ON plans (coverage, plan_id);

CREATE TABLE plan_countries (
    country TEXT NOT NULL,
    plan_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (country, plan_id)
);

CREATE TABLE topup_plans (
    topup_plan_id TEXT COLLATE "C" PRIMARY KEY,
    plan_type TEXT NOT NULL,
    price BIGINT NOT NULL,
    data_bytes BIGINT,
    per_day BIGINT NOT NULL,
    validity_days BIGINT,
    available BIGINT NOT NULL,
    body BYTEA NOT NULL
);

CREATE TABLE plan_topups (
    plan_id TEXT NOT NULL,
    topup_plan_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (plan_id, topup_plan_id)
);

-- What idempotent operations answered. Only successes are here.
CREATE TABLE answers (
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    operation TEXT NOT NULL,
    reference TEXT NOT NULL,
    payload BYTEA NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (partner_id, mode, operation, reference)
);

CREATE TABLE orders (
    order_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    reference TEXT NOT NULL,
    status TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    days BIGINT,
    unit_price BIGINT NOT NULL,
    total BIGINT NOT NULL,
    iccids TEXT NOT NULL,
    end_user TEXT,
    metadata TEXT NOT NULL,
    failure_code TEXT,
    failure_message TEXT,
    created_at BIGINT NOT NULL,
    completed_at BIGINT,
    UNIQUE (partner_id, mode, reference)
);
CREATE INDEX orders_of_account ON orders (partner_id, mode, order_id);

CREATE TABLE esims (
    esim_id TEXT COLLATE "C" PRIMARY KEY,
    iccid TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    order_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    scenario TEXT,
    status TEXT NOT NULL,
    profile_status TEXT NOT NULL,
    smdp_address TEXT NOT NULL,
    matching_id TEXT NOT NULL,
    confirmation_required BIGINT NOT NULL,
    ios_install_url TEXT,
    total_bytes BIGINT,
    used_bytes BIGINT NOT NULL,
    observed_at BIGINT,
    activated_at BIGINT,
    validity_days BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    topup_supported BIGINT,
    usage_reported BIGINT NOT NULL,
    expiring_reported BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX esims_of_account ON esims (partner_id, mode, esim_id);
CREATE INDEX esims_of_order ON esims (order_id);

CREATE TABLE topups (
    topup_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    esim_id TEXT NOT NULL,
    iccid TEXT NOT NULL,
    topup_plan_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    status TEXT NOT NULL,
    days BIGINT,
    price BIGINT NOT NULL,
    total BIGINT NOT NULL,
    data_bytes BIGINT,
    validity_days BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    completed_at BIGINT
);
CREATE INDEX topups_of_account ON topups (partner_id, mode);

-- Work that waits for the carrier or for a moment. A claim moves due_at past its lease.
CREATE TABLE jobs (
    job_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL
);
CREATE INDEX jobs_due ON jobs (kind, due_at);
CREATE UNIQUE INDEX jobs_of_subject ON jobs (subject_id, kind);
CREATE INDEX jobs_of_account ON jobs (partner_id, mode);

-- body is frozen: the feed and every delivery send these bytes.
CREATE TABLE events (
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    event_id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    body BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, mode, sequence)
);
CREATE INDEX events_by_age ON events (created_at);

CREATE TABLE webhook_endpoints (
    endpoint_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    url TEXT NOT NULL,
    event_types TEXT NOT NULL,
    secret TEXT NOT NULL,
    status TEXT NOT NULL,
    disabled_reason TEXT,
    created_at BIGINT NOT NULL,
    last_success_at BIGINT,
    last_failure_at BIGINT,
    failing_since BIGINT,
    exhausted BIGINT NOT NULL
);
CREATE INDEX endpoints_of_account ON webhook_endpoints (partner_id, mode);

-- One row per event and endpoint until it is acknowledged or exhausted; then it is removed. A claim
-- moves due_at past the lease, so that a worker that dies loses its claim by itself.
CREATE TABLE deliveries (
    delivery_id TEXT COLLATE "C" PRIMARY KEY,
    partner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX deliveries_of_endpoint ON deliveries (endpoint_id, due_at, delivery_id);
CREATE INDEX deliveries_of_account ON deliveries (partner_id, mode);
