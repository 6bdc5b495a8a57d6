"""The types of packages, as the API has them (docs/api.md#packages)."""

from typing import Annotated, ClassVar

from archive_site.lib.http.answer_types import Answer, Timestamp, about, keys, one_of
from usage.packages.package import Kind, State

HEADING = "Packages"
# Days ahead for which an answer says how many credits end.
AHEAD = (7, 14, 30)

_CHANGED = "when the source was last seen to have changed the package itself: its size, or credits taken back"
_COURSE = "its course, oldest first: the newest 50 changes; of the first 100 items"
_UNUSED = (
    "of a valid one: what will probably be left of it at its end; null where too few days are archived, or its end is "
    "more than 400 days ahead"
)
_LASTS = (
    "the end of the hour in which the last credits are used if the days go on as usual; null where they end unused, "
    "last more than 400 days, or too few days are archived"
)


class ReadingOfPackage(Answer, frozen=True):
    heading: ClassVar[str] = HEADING

    read_at: Timestamp
    size: float
    left: float
    state: Annotated[str, one_of(State)]


class PriceOfPackage(Answer, frozen=True):
    heading: ClassVar[str] = HEADING

    amount: float
    currency: Annotated[str, about("such as `CNY`")]


class PackageItem(Answer, frozen=True):
    heading: ClassVar[str] = HEADING

    resource_id: Annotated[str, about("the source's own; the months of a plan share it")]
    name: str
    kind: Annotated[str, one_of(Kind)]
    size: float
    left: float
    granted_at: Timestamp | None
    expires_at: Annotated[Timestamp | None, about("null where it does not end")]
    state: Annotated[str, one_of(State)]
    changed_at: Annotated[Timestamp | None, about(_CHANGED)]
    price: Annotated[PriceOfPackage | None, about("what was paid for it, where an order says so")]
    read_at: Annotated[Timestamp, about("when the source last showed it")]
    unused: Annotated[float | None, about(_UNUSED)]
    readings: Annotated[list[ReadingOfPackage], about(_COURSE)]


class LostCredits(Answer, frozen=True):
    heading: ClassVar[str] = HEADING

    month: Annotated[str, about("such as `2026-09`")]
    amount: Annotated[float, about("what was left in packages at their ends")]


class PriceOfCredits(Answer, frozen=True):
    """What one credit cost of the packages that were granted in a month and have a price."""

    heading: ClassVar[str] = HEADING

    month: Annotated[str, about("such as `2026-09`")]
    currency: str
    amount: Annotated[float, about("of one credit, to six digits")]


class OrderItem(Answer, frozen=True):
    heading: ClassVar[str] = "Orders"

    order_id: Annotated[str, about("the source's own")]
    paid_at: Timestamp
    amount: float
    currency: Annotated[str, about("such as `CNY`")]
    what: Annotated[str, about("what was bought, as the source names it")]
    gone_at: Annotated[
        Timestamp | None, about("when the source was first seen to list it as paid no more: it was refunded; else null")
    ]


class Money(Answer, frozen=True):
    heading: ClassVar[str] = "Orders"

    currency: str
    amount: float


class OrdersOfArchive(Answer, frozen=True):
    items: Annotated[list[OrderItem], about("newest first")]
    totals: Annotated[list[Money], about("the sum in each currency, by its name, without what is gone")]


class BalanceOfPackages(Answer, frozen=True):
    """What packages and calls say of the same time; in the unit of the archive."""

    heading: ClassVar[str] = HEADING

    since: Annotated[Timestamp, about("when packages were first read")]
    granted: Annotated[float, about("what was left then, and what was granted since")]
    changed: Annotated[float, about("by how much the source changed packages itself; below 0 where it took some back")]
    left: float
    lost: Annotated[float, about("left in packages that have ended since")]
    used: Annotated[float, about("`granted` and `changed`, less `left` and `lost`")]
    archived: Annotated[float, about("what the archived calls of that time cost")]
    difference: Annotated[float, about("`used` less `archived`")]


class PackagesOfArchive(Answer, frozen=True):
    items: Annotated[list[PackageItem], about("valid ones, the earliest end first; then the others, newest first")]
    left: Annotated[float, about("in valid packages")]
    expiring: Annotated[
        dict[str, float],
        keys(map(str, AHEAD), words="what is left in packages that end within 7, 14 or 30 days", type="number"),
    ]
    lost: Annotated[list[LostCredits], about("by the month of their ends, newest first")]
    credit_prices: Annotated[list[PriceOfCredits], about("by month of the grant, newest first")]
    read_at: Annotated[Timestamp | None, about("when packages were last read; null before")]
    lasts_until: Annotated[Timestamp | None, about(_LASTS)]
    balance: Annotated[BalanceOfPackages | None, about("null before packages were read")]
