"""The entities of the service as values; times are milliseconds, amounts units of `money`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["live", "test"]
PlanType: TypeAlias = Literal["fixed", "daily"]
Progress: TypeAlias = Literal["processing", "completed", "failed"]
EsimStatus: TypeAlias = Literal["ready", "active", "depleted", "expired", "revoked"]
EndpointStatus: TypeAlias = Literal["enabled", "disabled"]
LedgerKind: TypeAlias = Literal["credit", "order", "topup", "refund", "reset"]
JobKind: TypeAlias = Literal["provision", "topup", "observe"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The data that a request may access: those of one partner in one mode."""

    partner_id: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a request: the result of `authenticate` for a key.

    Attributes:
        expires_at: when the key expires; None for never.
    """

    scope: Scope
    key_id: str
    suspended: bool
    read_limit: int | None
    write_limit: int | None
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class Partner:
    """A customer of the service."""

    partner_id: str
    name: str
    status: Literal["active", "suspended"]
    created_at: int


@dataclass(frozen=True, slots=True)
class PartnerKey:
    """A key, stored only as its digest; `hint` is its last four characters."""

    key_id: str
    digest: bytes
    hint: str
    scope: Scope
    read_limit: int | None
    write_limit: int | None
    created_at: int
    expires_at: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """The prepaid account of a partner in one mode.

    Attributes:
        balance: the sum of the ledger.
        low_reported: whether balance.low was sent since the balance was last at the threshold.
        last_event: sequence of the newest event.
        purged_event: sequence of the newest event that was removed as too old.
        dated_at: the latest date of any record of the account.
        feed_epoch: which history the feed tells; cursors of another one have expired.
    """

    scope: Scope
    balance: int
    low_threshold: int
    low_reported: bool
    last_event: int
    purged_event: int
    updated_at: int
    dated_at: int
    feed_epoch: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of the catalogue; `body` is its form in the contract."""

    plan_id: str
    plan_type: PlanType
    coverage: str
    price: int
    data_bytes: int | None
    per_day: bool
    validity_days: int | None
    starts_on: str
    topup_supported: bool | None
    available: bool
    body: bytes


@dataclass(frozen=True, slots=True)
class TopupPlan:
    """A top-up plan of the catalogue; `body` is its form in the contract."""

    topup_plan_id: str
    plan_type: PlanType
    price: int
    data_bytes: int | None
    per_day: bool
    validity_days: int | None
    available: bool
    body: bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason an order failed."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Order:
    """An order; `end_user_label` is the label of its end user."""

    order_id: str
    scope: Scope
    reference: str
    status: Progress
    plan_id: str
    quantity: int
    days: int | None
    unit_price: int
    total: int
    iccids: tuple[str, ...]
    has_end_user: bool
    end_user_label: str | None
    metadata: Mapping[str, str]
    failure: Failure | None
    created_at: int
    completed_at: int | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The carrier's data about a new eSIM."""

    iccid: str
    smdp_address: str
    matching_id: str
    confirmation_required: bool
    ios_install_url: str | None


@dataclass(frozen=True, slots=True)
class Esim:
    """An eSIM with its state and usage.

    Attributes:
        validity_days: the duration of its validity from its activation; 0 if the validity runs
            from the purchase.
        usage_reported: the highest percentage that an event has reported (0, 50, 80 or 100).
        scenario: its scenario in the sandbox.
    """

    esim_id: str
    scope: Scope
    order_id: str
    plan_id: str
    scenario: str | None
    status: EsimStatus
    profile: Profile
    profile_status: str
    total_bytes: int | None
    used_bytes: int
    observed_at: int | None
    activated_at: int | None
    validity_days: int
    expires_at: int
    topup_supported: bool | None
    usage_reported: int
    expiring_reported: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Topup:
    """A top-up of an eSIM."""

    topup_id: str
    scope: Scope
    esim_id: str
    iccid: str
    topup_plan_id: str
    reference: str
    status: Progress
    days: int | None
    price: int
    total: int
    data_bytes: int | None
    validity_days: int
    balance_after: int
    created_at: int
    completed_at: int | None


@dataclass(frozen=True, slots=True)
class Event:
    """An event with the bytes that the feed and every delivery send."""

    event_id: str
    scope: Scope
    sequence: int
    type: str
    body: bytes
    created_at: int


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """A URL that events are sent to.

    Attributes:
        secret: the stored form of the secret, which may be encrypted.
        failing_since: when the first attempt after the last success failed.
        exhausted: whether a delivery was given up since the last success.
    """

    endpoint_id: str
    scope: Scope
    url: str
    event_types: tuple[str, ...]
    secret: str = field(repr=False)
    status: EndpointStatus
    disabled_reason: str | None
    created_at: int
    last_success_at: int | None
    last_failure_at: int | None
    failing_since: int | None
    exhausted: bool


@dataclass(frozen=True, slots=True)
class Job:
    """Work on an order, a top-up or an eSIM that is due at some time.

    Attributes:
        order: the subject, in the process that has just placed it and need not look it up.
    """

    job_id: str
    scope: Scope
    kind: JobKind
    subject_id: str
    attempts: int
    due_at: int
    order: Order | None = None
