"""`GET /api/bills` (docs/api.md#bills)."""

from typing import Annotated, Any, ClassVar

from django.utils import timezone
from msgspec import field

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, Day, Paged, about
from archive_site.lib.http.described import READS, described
from archive_site.lib.http.parameter_parsing import Paging
from archive_site.lib.http.request_types import Page, clamped
from archive_site.lib.http.span_of_days import BAD_DAY, OfDays
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.measures import What
from usage.proofs import billed_days
from usage.proofs.billed_days import BilledDay, Counted

_HEADING = "Bills"


class BilledTokens(Answer, frozen=True):
    """Tokens that a bill counts; null where it does not count them."""

    heading: ClassVar[str] = _HEADING

    tokens_in: Annotated[Count | None, about("new ones of the input")] = field(name="in")
    out: Annotated[Count | None, about("of the output")]
    cache_read: Annotated[Count | None, about("read from a cache")]
    cache_write: Annotated[Count | None, about("written into a cache")]


class BilledSums(Answer, frozen=True):
    """Sums of a bill; null where it does not say one."""

    amount: Annotated[str | None, about("in the unit of the archive, to the last digit")]
    calls: Count | None
    tokens: BilledTokens


class BilledModel(BilledSums, frozen=True):
    heading: ClassVar[str] = _HEADING

    model: str


class BilledDayItem(BilledSums, frozen=True):
    heading: ClassVar[str] = _HEADING

    day: Annotated[Day, about("in UTC, whatever the zone of the server")]
    complete: Annotated[bool, about("whether its calls and tokens change no more, as far as is known")]
    read_at: Annotated[str, about("when it was last read, with the offset of the server's zone")]
    models: Annotated[list[BilledModel], about("the largest amount first; empty where the bill has no models")]


class OfBills(OfDays, frozen=True):
    page: Page
    size: Annotated[int, clamped(31, 100), about("days of a page; a day may have 400 names of models", "Paging")]


class Bills(Paged, frozen=True):
    unit: Annotated[str, about("that of the archive")]
    items: Annotated[list[BilledDayItem], about("the days that have a bill, newest first")]


@described(
    READS,
    _HEADING,
    "What a payer says of days: sums without calls",
    errors=BAD_DAY,
)
def bills(request: AccountRequest, query: OfBills) -> Bills:
    archive_id, paging = archives.of_request(request), Paging(query.page, query.size)
    unit, total = unit_of(archive_id), billed_days.number_of(archive_id, query.days)
    found = billed_days.billed_days(archive_id, query.days, skip=paging.offset, most=paging.size)
    return Bills(**paging.payload(total), unit=unit.code, items=[_day(one, unit) for one in found])


def _day(one: BilledDay, unit: Unit) -> BilledDayItem:
    return BilledDayItem(
        day=one.day,
        complete=one.is_complete,
        read_at=timezone.localtime(one.read_at).isoformat(timespec="seconds"),
        models=[BilledModel(model=model, **_sums(counted, unit)) for model, counted in one.models],
        **_sums(one.whole, unit),
    )


def _sums(counted: Counted, unit: Unit) -> dict[str, Any]:
    """The fields of `BilledSums`."""
    spent = counted.get(What.AMOUNT)
    return {
        "amount": None if spent is None else unit.text(spent),
        "calls": counted.get(What.CALLS),
        "tokens": BilledTokens(*map(counted.get, billed_days.TOKENS)),
    }
