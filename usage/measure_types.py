"""The types of what answers have of amounts and tokens where the request names the archive (docs/api.md#measures)."""

from typing import Annotated, ClassVar

from msgspec import UNSET, UnsetType, field

from archive_site.lib.http.answer_types import Answer, Count, about, one_of
from usage.measures import Provenance

_UNIT = Annotated[str, about("with `archive`: that of the archive")]
_AMOUNT_OF_CALL = "with `archive`: the amount to the last digit; null where it is unknown"
_AMOUNT_OF_SUM = "with `archive`: the sum of the known amounts to the last digit; null where no call has one"


class TokenCounts(Answer, frozen=True):
    """Tokens of a call or of several; no token counts twice."""

    heading: ClassVar[str] = "Measures"

    tokens_in: Annotated[Count, about("new ones of the input")] = field(name="in")
    out: Annotated[Count, about("of the output")]
    cache_read: Annotated[Count, about("read from a cache")]
    cache_write: Annotated[Count, about("written into a cache")]


class MeasuredCall(Answer, frozen=True, kw_only=True):
    """What a record has where the request names the archive."""

    heading: ClassVar[str] = "Measures"

    unit: _UNIT | UnsetType = UNSET
    amount: Annotated[str | None, about(_AMOUNT_OF_CALL)] | UnsetType = UNSET
    provenance: Annotated[str, one_of(Provenance, "with `archive`: where the amount comes from")] | UnsetType = UNSET
    tokens: Annotated[TokenCounts | None, about("with `archive`; null where the source gives none")] | UnsetType = UNSET


class MeasuredSums(Answer, frozen=True, kw_only=True):
    """What sums have where the request names the archive."""

    heading: ClassVar[str] = "Measures"

    unit: _UNIT | UnsetType = UNSET
    amount: Annotated[str | None, about(_AMOUNT_OF_SUM)] | UnsetType = UNSET
    without_amount: Annotated[Count, about("with `archive`: calls of unknown amount")] | UnsetType = field(
        default=UNSET, name="without_amount"
    )
    tokens: Annotated[TokenCounts | None, about("with `archive`; null where no call has some")] | UnsetType = UNSET
