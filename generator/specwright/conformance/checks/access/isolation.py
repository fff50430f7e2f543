"""Requests for resources of another tenant, or of live mode."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from specwright.conformance.checks.requests.explore import renew
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_isolation
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.links import leads, listed
from specwright.conformance.contract.resources import Shape, shape
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.ids import invented
from specwright.conformance.driver.roles import LIVE_MODE, MAIN, OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange, HttpResponse, seconds_of
from specwright.findings import Level
from specwright.json_values import JsonValue
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract

ISOLATION = BehaviourRule(
    "isolation",
    BehaviourCategory.ISOLATION,
    "No tenant can read, change or list resources of another tenant or of live mode.",
    example="GET /invoices/7 of one tenant, with the key of another -> 200",
    advice=(
        "Query by owner and id together when reading, writing and listing, and return 404 as for "
        "an id that never existed."
    ),
    weight=21,
    expected="the response for a resource that never existed",
    judge=judge_isolation,
)
ISOLATION_AGREES = BehaviourRule(
    "isolation-agrees",
    BehaviourCategory.ISOLATION,
    "A resource that is hidden from another tenant on writes is hidden on reads, too.",
    example=("with the key of another tenant, PATCH /invoices/7 -> 404 and GET /invoices/7 -> 200"),
    advice=(
        "Query by owner and id together also when reading; return 403 for a resource that is "
        "public but that only some may change."
    ),
    level=Level.WARNING,
)
ISOLATION_OPEN = BehaviourRule(
    "isolation-open",
    BehaviourCategory.ISOLATION,
    "A resource of one tenant is hidden from another one, unless it is meant to be public.",
    example="one tenant creates an invoice, and another one reads, lists and changes it",
    advice="Query by owner and id together, unless the resource is public, such as a catalogue.",
    level=Level.INFO,
)

# The number of values tried for each variable.
_TRIED = 3
_NOT_THERE = 404
# Statuses that may hide that a resource exists (RFC 9110, 15.5.4).
_NOT_FOUND = (403, _NOT_THERE)
_AMOUNT = re.compile(r"-?\d+\.\d+")
# The roles that request foreign resources, in words.
_WHO = {OTHER_TENANT: "another tenant", LIVE_MODE: "a key of live mode"}


@scenario(after="parents", share=6)
def isolation(driver: Driver) -> None:
    """Check tenant isolation: fetch and list the resources of another tenant."""
    record = driver.target.record
    if OTHER_TENANT not in driver.target.keys:
        for operation in driver.contract.operations.values():
            if operation.scheme and operation.template.names:
                reason = "no key of another tenant was given"
                record.skip(ISOLATION, operation.pointer, reason)
    for role in (role for role in _WHO if role in driver.target.keys):
        renew(driver)
        trial = _Isolation(driver, role, _own_values(driver))
        for operation in driver.contract.operations.values():
            if operation.is_safe and operation.scheme and operation.pointer in driver.successes:
                trial.by_ids(operation)
        # Requests that change or delete foreign resources come after those that read them.
        for operation in sorted(driver.contract.operations.values(), key=_severity):
            if operation.scheme is None:
                continue
            page = operation.get(PAGINATION)
            if operation.template.names:
                trial.by_path(operation)
            elif page is not None:
                trial.by_list(operation, page)
        trial.judge()


def _severity(operation: ContractOperation) -> int:
    return 0 if operation.is_safe else 2 if operation.method == "DELETE" else 1


def _own_values(driver: Driver) -> set[str]:
    """Return the texts that first occurred in a response to a creation or change by this tenant.

    A text that occurred in a response or a request before, such as an item of a shared catalogue,
    is not this tenant's own, nor is one that the document names, such as a status.
    """
    seen = set(_texts(driver.contract.document.data))
    own = set[str]()
    for exchange in driver.target.record.exchanges:
        operation = driver.contract.operations.get(exchange.operation or "")
        response = exchange.response
        if operation is None or response is None or not response.is_success:
            continue
        texts = {text for text in _texts(response.json_or_none) if _can_tell(text)}
        if exchange.role == MAIN and not operation.is_safe:
            own |= {text for text in texts - seen if not _is_sent(exchange, text)}
        seen |= texts
    return own


def _is_sent(exchange: Exchange, text: str) -> bool:
    """Return whether the request contained a text that is in its response."""
    body = (exchange.request.body or b"").decode("utf-8", "replace")
    return text in exchange.request.url or text in body


def _can_tell(text: str) -> bool:
    """Return whether a text can identify a tenant: timestamps and amounts may be equal."""
    is_moment = seconds_of(text) is not None
    return len(text) > 5 and not is_moment and _AMOUNT.fullmatch(text) is None


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [text for member in value.values() for text in _texts(member)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


@dataclass(frozen=True, slots=True)
class _Reached:
    """A resource that another tenant reached.

    Attributes:
        collection: the path that contains it; `id` is the value of the variable after that.
        is_own: whether it was created for this tenant, judging by its id.
    """

    collection: Shape
    id: str
    is_own: bool
    operation: ContractOperation
    message: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class _Isolation:
    """The access of others to the data of this tenant.

    Attributes:
        role: the role that sends the requests.
        own: the texts that are this tenant's own.
        hidden: by collection, the ids that this tenant finds and the other one does not, with
            the status that the other one gets; 0 for one that a list leaves out.
        withheld: by collection, the ids for which the other one gets a 404 when it tries to
            change them, although this tenant can.
        listed: by collection, the ids that lists show to the other one.
        lists: the same by list, with the response.
        reached: the resources that the other one reached, to be judged when it is known which
            ones are hidden from it.
    """

    driver: Driver
    role: str
    own: set[str]
    hidden: dict[Shape, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    withheld: dict[Shape, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    listed: dict[Shape, set[str]] = field(default_factory=lambda: defaultdict(set))
    lists: list[tuple[Shape, set[str], ContractOperation, Exchange]] = field(default_factory=list)
    reached: list[_Reached] = field(default_factory=list)

    @property
    def who(self) -> str:
        """The requesting role, in words."""
        return _WHO[self.role]

    def by_path(self, operation: ContractOperation) -> None:
        """Request every value that this tenant knows for each variable of a path."""
        for slot in _path(operation):
            for value in self.driver.known(operation, slot)[:_TRIED]:
                self._reach(operation, slot, value)

    def _reach(self, operation: ContractOperation, slot: ParameterSlot, value: JsonValue) -> None:
        success = self.driver.successes.get(operation.pointer)
        call = success[0] if success else next(self.driver.candidates(operation), None)
        if call is None or not isinstance(value, str | int):
            return
        call = call.with_argument(slot.key, value)
        exchange = self._send(operation, call)
        response, collection, id_ = exchange.response, _collection(operation, slot), str(value)
        if response is None:
            return
        is_own = value in self.own
        if response.is_success:
            message = f"{self.who} reached a resource that is not its own"
            self.reached.append(_Reached(collection, id_, is_own, operation, message, exchange))
            shown = self.own.intersection(_texts(response.json_or_none))
            if not is_own and not all(_is_sent(exchange, text) for text in shown):
                self._violate(operation, f"{self.who} is shown data of this tenant", exchange)
        else:
            is_there = self._is_there(operation, call)
            if is_there and response.status in _NOT_FOUND:
                self.hidden[collection][id_] = response.status
            if is_there or is_own:
                self._compare(operation, call.with_argument(slot.key, invented(value)), exchange)
        if response.status == _NOT_THERE and self._is_changed(operation, call):
            self.withheld[collection][id_] = response.status

    def _is_changed(self, operation: ContractOperation, call: OperationCall) -> bool:
        """Return whether this tenant can change a resource that another one does not find."""
        if operation.is_safe or operation.method == "DELETE":
            return False
        response = self.driver.send(self.driver.with_fresh_key(call)).response
        return response is not None and response.is_success

    def by_ids(self, operation: ContractOperation) -> None:
        """Collect the ids in a list, and those that it leaves out."""
        for call in self._calls(operation):
            own, exchange = self.driver.send(call).response, self._send(operation, call)
            if own is not None and own.is_success:
                self._hold(call, own, exchange)

    def _calls(self, operation: ContractOperation) -> Iterator[OperationCall]:
        """Yield the successful call, and the same call for the parents of known members."""
        call, contract = self.driver.successes[operation.pointer][0], self.driver.contract
        yield call
        path = [slot.key for slot in _path(operation)]
        members = contract.members.get((*shape(operation.site.key), None), {})
        for member in (
            [below for operations in members.values() for below in operations[:1]] if path else ()
        ):
            known = [
                self.driver.known(member, slot)[:_TRIED] for slot in _path(member)[: len(path)]
            ]
            for values in zip(*known, strict=False):
                parents = dict(zip(path, values, strict=True))
                yield replace(call, arguments={**call.arguments, **parents})

    def _hold(self, call: OperationCall, own: HttpResponse, exchange: Exchange) -> None:
        """Compare a list of another tenant with this one's."""
        operation, response = call.operation, exchange.response
        if response is None or not response.is_success:
            return
        for lead in leads(self.driver.contract, call, own):
            collection = lead.shape[:-1]
            there, shown = (set(listed(source, lead.expressions[-1])) for source in (own, response))
            self.listed[collection] |= shown
            self.lists.append((collection, shown, operation, exchange))
            # Items that are missing from a full page may be on a later one.
            missing = there - shown if len(shown) < len(there) else (there - shown) & self.own
            self.hidden[collection] |= dict.fromkeys(missing, 0)

    def judge(self) -> None:
        """Report the reached resources that are hidden elsewhere, or that are not public."""
        for collection, ids, operation, exchange in self.lists:
            # A role that may not read a resource (403) may know that it exists.
            if any(self.hidden[collection].get(id) == _NOT_THERE for id in ids):
                message = f"{self.who} finds data of this tenant in its list"
                self._violate(operation, message, exchange)
        for reached in self.reached:
            rule = self._broken(reached)
            if rule is not None:
                self._violate(reached.operation, reached.message, reached.exchange, rule=rule)

    def _broken(self, reached: _Reached) -> BehaviourRule | None:
        collection = reached.collection
        # A public resource may be readable by all, and changed only by its owner.
        by_change = ISOLATION_AGREES if reached.operation.is_safe else ISOLATION
        for rule, known in (
            (ISOLATION, self.hidden[collection]),
            (by_change, self.withheld[collection]),
        ):
            if reached.id in known or (reached.is_own and known):
                return rule
        if not reached.is_own:
            return None
        # Others must not know an id that no list shows to them.
        is_listed = not self.own.isdisjoint(self.listed[collection])
        return ISOLATION_OPEN if is_listed else ISOLATION

    def _is_there(self, operation: ContractOperation, call: OperationCall) -> bool:
        """Return whether this tenant gets a resource that another one does not."""
        if not operation.is_safe:
            return False
        response = self.driver.send(call).response
        return response is not None and response.is_success

    def _compare(
        self, operation: ContractOperation, invented: OperationCall, refused: Exchange
    ) -> None:
        """Compare the response for a foreign resource with that for a missing one."""
        errors = self.driver.contract.errors
        if errors is None:
            return
        exchange = self._send(operation, invented)
        responses = [shown.response for shown in (refused, exchange) if shown.response is not None]
        outcomes = [(response.status, response.at(errors.code.raw)) for response in responses]
        if len(outcomes) == 2 and outcomes[1][0] == _NOT_THERE and outcomes[0] != outcomes[1]:
            message = (
                f"{self.who} is answered {outcomes[0][0]} {outcomes[0][1]} for an existing "
                f"resource, and {outcomes[1][0]} {outcomes[1][1]} for a missing one"
            )
            self._violate(operation, message, refused, exchange)

    def by_list(self, operation: ContractOperation, page: PaginationContract) -> None:
        """Request a list as it is, and with each filter by a value of this tenant's own."""
        success = self.driver.successes.get(operation.pointer)
        if success is None:
            return
        calls = [success[0]]
        for slot in operation.slots:
            if slot.filter is not None:
                known = [value for value in self.driver.known(operation, slot) if value in self.own]
                calls += [success[0].with_argument(slot.key, value) for value in known[:1]]
        for call in calls:
            exchange = self._send(operation, call)
            response = exchange.response
            items = response.at(page.items.raw) if response else None
            if any(not self._has_used(text) for text in self.own.intersection(_texts(items))):
                message = f"{self.who} finds data of this tenant in its list"
                collection = shape(operation.site.key)
                self.reached.append(_Reached(collection, "", True, operation, message, exchange))

    def _has_used(self, text: str) -> bool:
        """Return whether the other one has written a text itself, such as the id of a product."""
        return any(
            text.encode() in (exchange.request.body or b"")
            for exchange in self.driver.target.record.exchanges
            if exchange.role == self.role
            and exchange.response is not None
            and exchange.response.is_success
        )

    def _send(self, operation: ContractOperation, call: OperationCall) -> Exchange:
        self.driver.target.record.check(ISOLATION, operation.pointer)
        return self.driver.send(self.driver.with_fresh_key(call), self.role)

    def _violate(
        self,
        operation: ContractOperation,
        message: str,
        *exchanges: Exchange,
        rule: BehaviourRule = ISOLATION,
    ) -> None:
        self.driver.target.record.check(rule, operation.pointer)
        self.driver.violate(rule, operation, message, *exchanges)


def _path(operation: ContractOperation) -> list[ParameterSlot]:
    """Return the parameters of the path, in its order."""
    slots = [slot for slot in operation.slots if slot.written.location == "path"]
    return sorted(slots, key=lambda each: operation.site.key.find(f"{{{each.written.wire}}}"))


def _collection(operation: ContractOperation, slot: ParameterSlot) -> Shape:
    """Return the path up to a variable, which identifies the collection of its values."""
    return shape(operation.site.key.partition(f"{{{slot.written.wire}}}")[0])
