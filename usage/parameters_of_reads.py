"""The types of the parameters of reads (docs/api.md#filters)."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated

from django.http import QueryDict
from django.utils.translation import gettext
from msgspec import Meta

from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.answer_types import about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.request_types import Flag, Parameter, Switch, plain, short_text, word
from archive_site.lib.http.schemas import number, one_of, text, whole
from archive_site.lib.http.span_of_days import OfDays
from usage import extra_columns
from usage.amounts.units import Unit
from usage.export.formats import FORMATS
from usage.filters import NEWEST_FIRST, ORDERS, Choice, RecordFilters
from usage.prompt_privacy import policy as privacy
from usage.reads import comparison
from usage.stored_measures import may_be_in

SEARCH_LIMIT = 1000
# Values of one parameter.
MOST_NAMES = 100
_FILTERS = "Filters"


def _names(values: QueryDict, name: str) -> Choice:
    if parameter_parsing.flag(values, f"no_{name}"):
        return ""
    names = sorted({parameter_parsing.without_nul(text) for text in values.getlist(name) if text})
    if len(names) > MOST_NAMES:
        message = gettext("'%(name)s' may have at most %(most)s values.") % {"name": name, "most": MOST_NAMES}
        raise ApiError(400, "bad_request", message)
    return tuple(names) if len(names) > 1 else next(iter(names), None)


def _only(name: str) -> Meta:
    return about(f"only records of this {name}; given several times, of any of these, at most {MOST_NAMES}", _FILTERS)


def _none(name: str) -> Meta:
    return about(f"`1`: only records without a {name}, whatever `{name}` says", _FILTERS)


def file_format(usual: str) -> Parameter:
    """The name of a format, of what is `usual` without it."""
    return plain(one_of(sorted({usual, *FORMATS})))


Names = Annotated[Choice, Parameter(_names, text(), repeats=True)]
_Q = "a text that the prompt contains. Letters A to Z match in either case, all else exactly; nothing is trimmed"
_CREDITS_ABOVE = "only records with more credits; at most 12 digits before the point and 18 after it"
_CREDITS = Parameter(parameter_parsing.amount, number(minimum=0, exclusiveMaximum=10**12))
_TOKENS_ABOVE = "only records with more tokens, of all kinds together"
_TOKENS = Parameter(parameter_parsing.count, whole(minimum=0, exclusiveMaximum=10**12))
_OF_DAY = Parameter(parameter_parsing.hour, whole(minimum=0, maximum=23))
_HOUR = "only records of that hour of the wall clock, on each of the days"
_ORDER = f"the order of the list; `{NEWEST_FIRST}` for any other value"
_COMPARE = (
    "adds a comparison: with the span before (`previous`), the same days a month or a year ago (`month`, `year`), or "
    "days as `2026-01-01..2026-01-31`"
)
_SPANS = r"^(previous|month|year|none|[0-9/-]{8,10}\.\.[0-9/-]{8,10})?$"
_COMPARED = Parameter(comparison.requested, text(pattern=_SPANS, examples=["previous"]))
FORMAT = "the [format](#formats) of the answer; without it, and without one in `Accept`, `%s`"
_PURPOSE = Parameter(extra_columns.with_purpose, one_of(("purpose",)))
Columns = Annotated[bool, _PURPOSE, about("`purpose` adds the purpose", "Columns")]
_LANG = about("the language of the header of CSV; `zh-hans` without it")
Lang = Annotated[str, plain(one_of(("en", "zh-hans"))), _LANG]


class OfSums(OfDays, frozen=True):
    """The filters of all reads; `no_model` overrides `model`, and so on."""

    model: Annotated[Names, _only("model")]
    no_model: Annotated[Flag, _none("model")]
    client: Annotated[Names, _only("client")]
    no_client: Annotated[Flag, _none("client")]
    purpose: Annotated[Names, _only("purpose")]
    no_purpose: Annotated[Flag, _none("purpose")]

    @property
    def filters(self) -> RecordFilters:
        return RecordFilters(self.days, self.model, self.client, self.purpose)


class OfTotals(OfSums, frozen=True):
    compare: Annotated[comparison.Asked | None, _COMPARED, about(_COMPARE, "Comparison")]


class OfLists(OfSums, frozen=True):
    q: Annotated[str, short_text(SEARCH_LIMIT), about(_Q, _FILTERS)]
    with_prompt: Annotated[Switch, about("`1`: only records with a prompt; `0`: only records without one", _FILTERS)]
    free: Annotated[Switch, about("`1`: only free calls; `0`: only others", _FILTERS)]
    credits_above: Annotated[Decimal | None, _CREDITS, about(_CREDITS_ABOVE, _FILTERS)]
    tokens_above: Annotated[int | None, _TOKENS, about(_TOKENS_ABOVE, _FILTERS)]
    hour: Annotated[int | None, _OF_DAY, about(_HOUR, _FILTERS)]
    order: Annotated[str, word(ORDERS, NEWEST_FIRST), about(_ORDER)]

    def filters_in(self, archive_id: int, unit: Unit) -> RecordFilters:
        """The filters of a list of an archive, which has this unit."""
        # A prompt that has the text is there.
        has_prompt = None if self.q and self.with_prompt else self.with_prompt
        # More is compared than a part has digits for: a call is above half of a part exactly where it is above 0.
        above = None if self.credits_above is None else int(self.credits_above * unit.one)
        found, hour = self.filters, self.hour
        return replace(
            found,
            text=privacy.searched(archive_id, self.q) if self.q else "",
            is_free=self.free,
            has_prompt=has_prompt,
            credits_above=above,
            tokens_above=self.tokens_above,
            hour=hour,
            tells_unknown=may_be_in(archive_id),
        )
