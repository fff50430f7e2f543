"""Changes of a partner's data under its account, single or in batches, and the database port.

How one change becomes a transaction, or a part of one::

    database.change(AccountChange)        scope, subject and rules, which get the account
          │
          ├─ SQLite ──────► run_single    lock the account ─► rules ─► save the account
          │
          └─ PostgreSQL ──► Batcher       while one batch is committed, the next one gathers;
                 │                        a subject occurs in it once
                 ▼
             batch_unit                   lock all accounts ─► run the rules side by side, with
                 │                        equal queries merged ─► one statement for all writes
                 ▼
             UnitOutcome per change       its result, or its own error

An account that is locked for long moves its changes to a batcher of their own. If a batch fails as
a whole, its halves are tried again, until the change that breaks it is alone.
"""
