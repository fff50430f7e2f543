"""The policy of a project in `lint.toml`: the levels of rules, and waivers of findings.

A file may extend another one of the repository, which several documents share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

from specwright.config import LARGEST, Renames, file_beside, parse_toml, read_toml
from specwright.document.model import is_remote
from specwright.document.sources.bundle import Files, LeadsOut
from specwright.document.sources.load import Directories
from specwright.errors import InputError, Location, did_you_mean
from specwright.files import repository, why_not_read
from specwright.findings import Finding, Level, RuleDescription, values_of
from specwright.pointer import Pointer, split

FILE_NAME = "lint.toml"
# The number of tokens in a pointer such as /paths/~1orders/post.
_OPERATION = 3
# A century, so that dates stay within the calendar.
_MOST_DAYS = 36_500
_EXTENDS, _WAIVERS = "extends", "waivers"
_SETTINGS = (_EXTENDS, "profile", "deprecation_days", "levels", _WAIVERS)
# Rules of what generated code could not do, and can.
_REMOVED_RULES = frozenset(
    (
        "schema-read-write",
        "unsupported-callback",
        "unsupported-read-write",
        "unsupported-security",
        "unsupported-server",
    )
)
WAIVER_UNUSED = RuleDescription(
    "waiver-unused",
    "Checks",
    "A waiver that no longer matches a finding would hide the next one.",
    "",
    "",
    Level.WARNING,
    Level.ERROR,
)
WAIVER_EXPIRED = RuleDescription(
    "waiver-expired",
    "Checks",
    "A waiver applies until its expiry date; then the finding is reported again.",
    "",
    "",
    Level.WARNING,
    Level.ERROR,
)


class LintProfile(StrEnum):
    """The default levels, for rules that the file does not name."""

    RECOMMENDED = "recommended"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Findings of one rule that are accepted where the glob matches one of their places.

    Attributes:
        expires: the last day on which they are accepted; None if they always are.
    """

    rule: str
    where: str
    reason: str
    location: Location
    expires: date | None = None

    def covers(self, rule: str, places: Sequence[str]) -> bool:
        """Return whether it is about a rule at a place, expired or not."""
        return rule == self.rule and any(fnmatchcase(place, self.where) for place in places)

    def is_over(self, today: date) -> bool:
        """Return whether its last day has passed."""
        return self.expires is not None and self.expires < today


@dataclass(frozen=True, slots=True)
class PlaceLevels:
    """The levels where the glob matches a JSON pointer or an operation."""

    where: str
    levels: Mapping[str, Level]


@dataclass(frozen=True, slots=True)
class Settings:
    """The strictness of the checks.

    Attributes:
        places: levels of single places; later ones take precedence.
        today: the day on which waivers are judged; `date.min` if it does not matter.
        notice: the least time from a deprecation to the removal; None for no requirement.
        short_method_names, names: the settings of `[tool.specwright]` that affect name clashes.
    """

    profile: LintProfile = LintProfile.RECOMMENDED
    levels: Mapping[str, Level] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    short_method_names: bool = False
    names: Renames = field(default_factory=Renames)
    places: tuple[PlaceLevels, ...] = ()
    today: date = date.min
    notice: timedelta | None = None

    def matches(self, other: Settings) -> bool:
        """Return whether other settings are the same, apart from the locations of waivers."""
        waivers = zip(self.waivers, other.waivers, strict=False)
        here = tuple(replace(own, location=waiver.location) for own, waiver in waivers)
        return len(self.waivers) == len(other.waivers) and replace(self, waivers=here) == other

    def level(self, rule: RuleDescription, places: Sequence[str] = ()) -> Level:
        """Return the level of a rule at a place, which has one or more names."""
        for place in reversed(self.places):
            if rule.id in place.levels and any(fnmatchcase(name, place.where) for name in places):
                return place.levels[rule.id]
        usual = rule.strict if self.profile is LintProfile.STRICT else rule.recommended
        return self.levels.get(rule.id, usual)

    def enables(self, rule: RuleDescription) -> bool:
        """Return whether a rule is enabled anywhere."""
        of_places = (place.levels.get(rule.id, Level.OFF) for place in self.places)
        return any(level is not Level.OFF for level in (self.level(rule), *of_places))

    def accepts(self, finding: Finding) -> bool:
        """Return whether the project has turned off or waived a finding."""
        places = places_of(finding.pointer)
        return self.levels.get(finding.rule) is Level.OFF or any(
            waiver.covers(finding.rule, places) and not waiver.is_over(self.today)
            for waiver in self.waivers
        )

    def forbids(self, finding: Finding) -> bool:
        """Return whether the project makes a finding an error that is otherwise tolerated."""
        strict = Level.ERROR if self.profile is LintProfile.STRICT else None
        level = self.levels.get(finding.rule, strict)
        return level is Level.ERROR and not self.accepts(finding)


@dataclass(frozen=True, slots=True)
class PolicyLayer:
    """A file with a policy: its name, its text and its data."""

    file: str
    text: str
    data: dict[str, object]

    def place(self, marker: str, index: int = 0) -> Location:
        """Return the location of the index-th line that starts with a marker."""
        lines = self.text.splitlines()
        hits = [n for n, line in enumerate(lines, 1) if line.strip(" \t\"'").startswith(marker)]
        return Location(self.file, hits[index] if index < len(hits) else 1, 1)

    def error(self, message: str, marker: str, hint: str | None = None) -> InputError:
        """Return an error at the line that starts with a marker."""
        return InputError(message, self.place(marker), hint)


@dataclass(slots=True)
class Waivers:
    """The waivers of a project for some rules, and those of them that were needed.

    Attributes:
        rules: the ids of the rules that were applied; waivers of others are ignored.
    """

    settings: Settings
    rules: Collection[str]
    _needed: set[Waiver] = field(default_factory=set)

    def reason(self, rule: str, places: Sequence[str]) -> str | None:
        """Return the reason why a finding at a place is accepted; None if it is not."""
        matching = [waiver for waiver in self.settings.waivers if waiver.covers(rule, places)]
        self._needed.update(matching)
        valid = (waiver.reason for waiver in matching if not waiver.is_over(self.settings.today))
        return next(valid, None)

    def findings(self) -> Iterator[Finding]:
        """Yield the problems of waivers, once all findings were checked."""
        for waiver in self.settings.waivers:
            about = f"'{waiver.rule}' at '{waiver.where}'"
            if waiver.rule not in self.rules:
                continue
            if waiver not in self._needed:
                yield self._finding(
                    WAIVER_UNUSED, waiver, f"no finding matches {about}: remove the waiver"
                )
            elif waiver.is_over(self.settings.today):
                yield self._finding(
                    WAIVER_EXPIRED, waiver, f"{about} was accepted until {waiver.expires}"
                )

    def _finding(self, rule: RuleDescription, waiver: Waiver, message: str) -> Finding:
        level = self.settings.level(rule)
        values = values_of(waiver.rule)
        return Finding(rule.id, level, waiver.location, waiver.where, message, values=values)


def places_of(pointer: Pointer | None) -> tuple[str, ...]:
    """Return the names of a place: its pointer, and the operation that it belongs to."""
    if pointer is None:
        return ()
    tokens = split(pointer)
    if len(tokens) < _OPERATION or tokens[0] != "paths":
        return (pointer,)
    return pointer, f"{tokens[2].upper()} {tokens[1]}"


def find(document: str) -> str | None:
    """Return the `lint.toml` beside a document, or in this directory for a remote one."""
    return file_beside(FILE_NAME if is_remote(document) else document, FILE_NAME, "--config")


def load(file: str, known_rules: Collection[str]) -> Settings:
    """Read settings; an invalid file raises an `InputError` with the reason."""
    return settings(layers(file, *read_toml(Path(file)), _around(file)), known_rules)


def sources(document: str) -> list[str]:
    """Return the files with the policy of a document.

    Raises:
        InputError: one of them cannot be read.
    """
    file = find(document)
    if file is None:
        return []
    return [layer.file for layer in layers(file, *read_toml(Path(file)), _around(file))]


def settings(layers: Iterable[PolicyLayer], known_rules: Collection[str]) -> Settings:
    """Return the settings in files, of which each extends the one before.

    Raises:
        InputError: one of them is invalid.
    """
    result = Settings()
    for layer in layers:
        result = _Reader(layer, known_rules).settings(result)
    return result


def layers(file: str, text: str, data: dict[str, object], files: Files) -> list[PolicyLayer]:
    """Return a file with those that it extends, the most general one first.

    Args:
        files: those that it may extend.

    Raises:
        InputError: one of them cannot be read, or has what only a document may have.
    """
    chain, seen = [PolicyLayer(file, text, data)], {files.identity(file)}
    while _EXTENDS in (last := chain[-1]).data:
        shared = _extended(last, files)
        if files.identity(shared.file) in seen:
            raise last.error(f"{shared.file} extends itself", _EXTENDS)
        if _WAIVERS in shared.data:
            raise shared.error(
                f"a file that others extend has no [[{_WAIVERS}]]",
                f"[[{_WAIVERS}]]",
                "a waiver is about one document: write it into the file beside that",
            )
        seen.add(files.identity(shared.file))
        chain.append(shared)
    return chain[::-1]


def _extended(layer: PolicyLayer, files: Files) -> PolicyLayer:
    """Return the file that another one extends."""
    path = layer.data[_EXTENDS]
    if not isinstance(path, str) or not path.endswith(".toml") or path[:1] == "/" or "\0" in path:
        raise layer.error(
            f"'{_EXTENDS}' must be the path of a TOML file",
            _EXTENDS,
            "relative to this file, such as ../lint.toml",
        )
    file = files.beside(layer.file, path)
    try:
        content = files.read(file)
    except LeadsOut:
        raise layer.error(
            f"'{path}' is not in the repository of this file", _EXTENDS, "keep a copy in it"
        ) from None
    except OSError as error:
        raise layer.error(f"{file} cannot be read: {why_not_read(error)}", _EXTENDS) from None
    if len(content) > LARGEST:
        raise layer.error(f"{file} is larger than {LARGEST >> 20} MB", _EXTENDS)
    return PolicyLayer(file, *parse_toml(Path(file), content))


def _around(file: str) -> Directories:
    """Return the files of the repository of a file; without one, those of its directory."""
    top = repository(Path(file).resolve().parent)
    return Directories(file, [] if top is None else [top])


def unknown_rule(
    rule: str, known_rules: Collection[str], place: Location | None = None
) -> InputError:
    """Return the error for the name of a rule that does not exist, or no longer."""
    if rule in _REMOVED_RULES:
        hint = "it was removed: generated code supports what it reported"
    else:
        hint = did_you_mean(rule, known_rules, "`specwright rules` lists them")
    return InputError(f"unknown rule '{rule}'", place, hint)


@dataclass(frozen=True, slots=True)
class _Reader:
    layer: PolicyLayer
    known_rules: Collection[str]

    def settings(self, shared: Settings) -> Settings:
        """Return the settings of the file, which take precedence over those that it extends."""
        data = self.layer.data
        unknown = set(data).difference(_SETTINGS)
        if unknown:
            name = sorted(unknown)[0]
            known = "extends, profile, deprecation_days, [levels] and [[waivers]]"
            hint = did_you_mean(name, _SETTINGS, f"the settings are {known}")
            raise self.layer.error(f"unknown setting '{name}'", name, hint)
        levels = data.get("levels", {})
        waivers = data.get("waivers", [])
        if not isinstance(levels, dict) or not isinstance(waivers, list):
            raise self.layer.error(
                "[levels] must be a table and [[waivers]] a list of tables", "levels"
            )
        levels_here = {rule: level for rule, level in levels.items() if not isinstance(level, dict)}
        places = tuple(
            PlaceLevels(where, self.levels(table))
            for where, table in levels.items()
            if isinstance(table, dict)
        )
        days = data.get("deprecation_days")
        return Settings(
            self.profile(data.get("profile", shared.profile)),
            {**shared.levels, **self.levels(levels_here)},
            tuple(self.waiver(index, waiver) for index, waiver in enumerate(waivers)),
            places=(*shared.places, *places),
            notice=shared.notice if days is None else self.notice(days),
        )

    def profile(self, name: object) -> LintProfile:
        try:
            return LintProfile(str(name))
        except ValueError:
            raise self.layer.error(
                f"unknown profile {name!r}", "profile", f"use one of {', '.join(LintProfile)}"
            ) from None

    def notice(self, days: object) -> timedelta:
        if type(days) is not int or not 0 <= days <= _MOST_DAYS:
            raise self.layer.error(
                "'deprecation_days' must be a number of days", "deprecation_days", "such as 180"
            )
        return timedelta(days=days)

    def levels(self, table: Mapping[str, object]) -> dict[str, Level]:
        return {rule: self.level(rule, level) for rule, level in table.items()}

    def level(self, rule: str, level: object) -> Level:
        self.check_rule(rule, self.layer.place(rule))
        try:
            return Level(str(level))
        except ValueError:
            raise self.layer.error(
                f"unknown level {level!r} for '{rule}'", rule, f"use one of {', '.join(Level)}"
            ) from None

    def waiver(self, index: int, waiver: object) -> Waiver:
        place = self.layer.place("[[waivers]]", index)
        members = ("rule", "where", "reason")
        if (
            not isinstance(waiver, dict)
            or set(waiver) - {"expires"} != set(members)
            or not all(isinstance(waiver[name], str) and waiver[name].strip() for name in members)
        ):
            raise InputError(
                "a waiver needs rule, where (a glob for JSON pointers, or for operations such as "
                "GET /orders) and reason, all strings, and may have expires",
                place,
                "give the reason, so that others can tell when it no longer applies",
            )
        if type(waiver.get("expires", date.max)) is not date:
            raise InputError(
                "'expires' must be a date", place, "such as 2027-01-31, without quotes"
            )
        self.check_rule(waiver["rule"], place)
        expires = waiver.get("expires")
        return Waiver(waiver["rule"], waiver["where"], waiver["reason"], place, expires)

    def check_rule(self, rule: str, place: Location) -> None:
        if rule not in self.known_rules:
            raise unknown_rule(rule, self.known_rules, place)
