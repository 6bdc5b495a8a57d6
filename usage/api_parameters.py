"""Descriptions of the parameters of reads (docs/api.md#filters)."""

from archive_site.lib.http.common_parameters import DAYS
from archive_site.lib.http.described import Parameter
from archive_site.lib.http.schemas import number, one_of, text, whole
from usage.export.formats import FORMATS
from usage.filters import NEWEST_FIRST, ORDERS

FILTERS = "Filters"
_SWITCH_WORDS = ("1", "0", "true", "false", "on", "off")


def _name(name: str) -> Parameter:
    about = f"only records of this {name}; given several times, of any of these, at most 100"
    return Parameter(name, text(), about, FILTERS, repeats=True)


def _none(name: str) -> Parameter:
    about = f"`1`: only records without a {name}, whatever `{name}` says"
    return Parameter(f"no_{name}", one_of(("1", "true", "on", "0")), about, FILTERS)


def _switch(name: str, about: str) -> Parameter:
    return Parameter(name, one_of(_SWITCH_WORDS), about, FILTERS)


NAMES = tuple(one for name in ("model", "client", "purpose") for one in (_name(name), _none(name)))
OF_SUMS = (*DAYS, *NAMES)
OF_LISTS = (
    *OF_SUMS,
    Parameter(
        "q",
        text(maxLength=1000),
        "a text that the prompt contains. Letters A to Z match in either case, all else exactly; nothing is trimmed",
        FILTERS,
    ),
    _switch("free", "`1`: only free calls; `0`: only others"),
    _switch("with_prompt", "`1`: only records with a prompt; `0`: only records without one"),
    Parameter(
        "credits_above",
        number(minimum=0, exclusiveMaximum=10**12),
        "only records with more credits; at most 12 digits before the point and 18 after it",
        FILTERS,
    ),
    Parameter(
        "hour",
        whole(minimum=0, maximum=23),
        "only records of that hour of the wall clock, on each of the days",
        FILTERS,
    ),
)
ORDER = Parameter("order", one_of(ORDERS, ""), f"the order of the list; `{NEWEST_FIRST}` for any other value")
COLUMNS = Parameter("columns", one_of(("purpose",)), "`purpose` adds the purpose", "Columns")
COMPARE = Parameter(
    "compare",
    text(pattern=r"^(previous|month|year|none|[0-9/-]{8,10}\.\.[0-9/-]{8,10})?$", examples=["previous"]),
    "adds a comparison: with the span before (`previous`), the same days a month or a year ago (`month`, `year`), or "
    "days as `2026-01-01..2026-01-31`",
    "Comparison",
)
LANG = Parameter("lang", one_of(("en", "zh-hans")), "the language of the header of CSV; `zh-hans` without it")


def file_format(usual: str) -> Parameter:
    """The parameter `format` of what is `usual` without it."""
    about = f"the [format](#formats) of the answer; without it, and without one in `Accept`, `{usual}`"
    return Parameter("format", one_of(sorted({usual, *FORMATS})), about)
