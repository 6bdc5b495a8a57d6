"""The API reads of the overview. The page contains this list for its scripts.

The page also contains the addresses of the first reads, so that the browser fetches them while it loads the scripts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict

from accounts import archives
from archive_site.lib.http.parameter_parsing import truth
from usage import periods


@dataclass(frozen=True)
class Read:
    """A read of the API.

    `days` names the spans that it covers: the chosen "period", the calendar's "year", or a period. It is empty for an
    answer that does not depend on days. `narrowed` limits it to the chosen model, client and purpose; `compared` adds
    the chosen comparison; `fixed` holds its other parameters. Without `preloaded`, only the scripts ask for it.
    """

    path: str
    days: tuple[str, ...]
    narrowed: bool = True
    compared: bool = False
    preloaded: bool = True
    fixed: Mapping[str, str] = field(default_factory=dict)


# The data of the pickers and of the models' colours, on every page with filters.
NAME_READS = {
    "names": Read("/api/dims", ("all",), narrowed=False, fixed={"dim": "purpose"}),
    "recent": Read("/api/dims", ("90",), narrowed=False, fixed={"dim": "model"}),
}
REPEATED_READS = {"repeated": Read("/api/repeated", ("period",)), **NAME_READS}
READS = {
    "summary": Read("/api/summary", ("period",), compared=True),
    # One read serves both the bars and the calendar, so it is the same for most periods.
    "daily": Read("/api/daily", ("period", "year")),
    "dims": Read("/api/dims", ("period",), compared=True, fixed={"dim": "purpose", "trend": "1"}),
    "top": Read("/api/top", ("period",), fixed={"n": "10"}),
    # The days before, for the line behind the bars: `daily` reaches over another span than the period.
    "earlier": Read("/api/daily", ("period",), compared=True),
    # The hours of one model.
    "hours": Read("/api/daily", ("period",), preloaded=False),
    # The ledger is of all calls: what was asked for at the source does not depend on the chosen names.
    "coverage": Read("/api/coverage", ("period", "year"), narrowed=False),
    "budgets": Read("/api/budgets", (), narrowed=False),
    # Of all calls of the present month.
    "forecast": Read("/api/forecast", (), narrowed=False),
    **NAME_READS,
}


def first_reads(given: QueryDict, today: date, archive_id: int = 0) -> list[str]:
    """The addresses of the reads for the filters in a page's address; none for a custom span.

    They name an archive that is not the first of its account.
    """
    known = periods.periods(today)
    period = given.get("period", periods.DEFAULT)
    if period == periods.CUSTOM or ("period" not in given and ("from" in given or "to" in given)):
        return []
    spans = {**known, "period": known.get(period, known[periods.DEFAULT]), "year": periods.calendar_year(today)}
    compare = periods.compared(given, periods.previous_of(period, spans["period"]))
    narrow = names_in(given)
    named = {archives.PARAMETER: str(archive_id)} if archives.is_further(archive_id) else {}
    # With all days chosen, two reads have the same address.
    return list(dict.fromkeys(_addresses(spans, narrow, compare, named)))


def described(reads: Mapping[str, Read]) -> dict[str, str]:
    """Reads in the form that the scripts use: each an address with `days`, `narrowed` and the fixed parameters."""
    return {name: f"{read.path}?{urlencode(_description(read))}" for name, read in reads.items()}


def _description(read: Read) -> dict[str, str]:
    narrowed = {"narrowed": "1"} if read.narrowed else {}
    compared = {"compared": "1"} if read.compared else {}
    return {"days": " ".join(read.days), **narrowed, **compared, **read.fixed}


def names_in(given: QueryDict) -> dict[str, list[str]]:
    """The chosen models, clients and purposes; `no_client=1` for the calls without a client, and so on."""
    named: dict[str, list[str]] = {}
    for name in ("model", "client", "purpose"):
        # In the order of the address, as the scripts ask for them.
        chosen = list(dict.fromkeys(filter(None, given.getlist(name))))
        if truth(given.get(f"no_{name}")):
            named[f"no_{name}"] = ["1"]
        elif chosen:
            named[name] = chosen
    return named


def _addresses(
    spans: Mapping[str, periods.Span], narrow: Mapping[str, list[str]], compare: str, named: Mapping[str, str]
) -> Iterable[str]:
    for name, read in READS.items():
        if not read.preloaded or (name == "earlier" and not compare):
            continue
        bounds = periods.cover([spans[name] for name in read.days]).bounds() if read.days else {}
        comparison = {"compare": compare} if read.compared and compare else {}
        asked = {**bounds, **(narrow if read.narrowed else {}), **comparison, **read.fixed, **named}
        path = f"{settings.SERVICE_PATH}{read.path}"
        yield f"{path}?{urlencode(asked, doseq=True)}" if asked else path
