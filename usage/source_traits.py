"""What the sources of archives can give, by their kind (docs/sources.md#traits)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from accounts.archives import Holding, holding_of
from accounts.models import Archive
from usage.measures import Status


@dataclass(frozen=True)
class Traits:
    """What a source can give, so that a run asks for it and the ledger of days expects it.

    `window_days`: what one question covers at most. `cap_step`: a count that is a multiple of it, and that all rows
    reach, was capped; None where nothing is capped. `text_days`: how long it surely gives all that it has of a call.
    `reach_days`: how many days back it gives calls, today included; None as far as it goes.
    `first_reading`, `last_reading`: how long after its end a day is read again, twice; then it settles. Until then a
    day's calls and their amounts may change. `counts`: whether it says how many calls a span has without giving them.
    `bills`: whether it gives sums of days, which prove calls; `bill_settles`: how long after its end such a day may
    change; `bill_grows`: how long after its end it is read once more, since some still grow after two equal readings;
    `bill_zone`: the zone of such days; `billed`: how the calls ended that it counts; `bills_others`: whether it
    gives no calls itself, and its sums are of those of another archive, by the models that they name. `gives_texts`:
    whether calls come with their prompts. `packages`: whether people buy credits in packages there.
    `tells_accounts`: whether the calls of two accounts have no request id in common.
    `keeps_id_in_retry`: whether a call that is tried again keeps its id, so that the try that began last counts.
    `is_asked`: whether it is asked at all; what is not comes in files. `estimates`: whether its amounts come from a
    list of prices. `credential`: what people call what it is asked with.
    `name`: what people call the service. `usage_page`: the path of its page that shows people their usage. Its own rows
    in files have times of `time_zone` in the column `time_column`. `request_id` is the form of its request ids,
    `request_id_begun` that of a text that may be one, or begin one, as people type it: regular expressions. The
    browser gets the second one.
    """

    kind: str
    window_days: int
    first_reading: timedelta
    last_reading: timedelta
    cap_step: int | None = None
    text_days: int = 31
    counts: bool = True
    reach_days: int | None = None
    bills: bool = False
    bill_settles: timedelta = timedelta(hours=2)
    bill_grows: timedelta | None = None
    bill_zone: tzinfo = UTC
    billed: tuple[Status, ...] = (Status.OK,)
    bills_others: bool = False
    gives_texts: bool = True
    packages: bool = False
    tells_accounts: bool = False
    keeps_id_in_retry: bool = False
    is_asked: bool = True
    estimates: bool = False
    credential: Literal["cookie", "key"] = "key"
    name: str = ""
    usage_page: str = ""
    time_column: str = ""
    time_zone: ZoneInfo | None = None
    request_id: str = ""
    request_id_begun: str = ""

    def reached(self, today: date) -> date | None:
        """The first day whose calls it gives today, if it gives them for a number of days."""
        return today - timedelta(days=self.reach_days - 1) if self.reach_days else None

    @property
    def text_given(self) -> timedelta:
        """How long the prompts of a call are given; from an older day a missing one says nothing."""
        return timedelta(days=self.text_days)

    @property
    def bills_itself(self) -> bool:
        """Whether its bills are of its own calls."""
        return self.bills and not self.bills_others

    def is_capped(self, total: int, received: int) -> bool:
        """Whether a count of rows is where the source stopped counting."""
        return bool(self.cap_step) and total > 0 and total % (self.cap_step or 1) == 0 and received >= total


_KNOWN: dict[str, Traits] = {}
# The services whose files have sums of days, by their format and the unit of these.
_BILLS_IN_FILES: dict[tuple[str, str], str] = {}


def register(traits: Traits) -> None:
    """Make the traits of a kind known, at the start of a process."""
    _KNOWN[traits.kind] = traits


def register_bills_in_files(services: Mapping[tuple[str, str], str]) -> None:
    """Make the services known whose files have sums of days, by format and unit."""
    _BILLS_IN_FILES.update(services)


def named_traits(kind: str) -> Traits:
    """The traits of a kind."""
    return _KNOWN[kind]


def traits_of(archive_id: int) -> Traits:
    """The traits of an archive's source."""
    return traits_for(holding_of(archive_id))


def traits_for(archive: Archive | Holding) -> Traits:
    """The traits of an archive's source; of one of files they depend on what those hold."""
    traits = _KNOWN[archive.kind]
    service = None if traits.is_asked else _BILLS_IN_FILES.get((archive.file_format, archive.unit))
    return traits if service is None else replace(traits, bills=True, bills_others=True, name=service)


def has_form_of_request_id(text: str) -> bool:
    """Whether a text has the form of a source's request ids."""
    return any(traits.request_id and re.fullmatch(traits.request_id, text) for traits in _KNOWN.values())


def zone_of_column(name: str) -> ZoneInfo | None:
    """The zone of the times in a column of a source's own rows; None for any other column."""
    return next((traits.time_zone for traits in _KNOWN.values() if name and traits.time_column == name), None)
