"""Archives of half a year for tests of retention, and all sums that are read of one."""

import itertools
import random
from datetime import date, timedelta
from typing import Any

from accounts.models import User
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, call
from usage.filters import RecordFilters
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Tokens
from usage.reads import comparison
from usage.reads.comparison import Asked
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import dims
from usage.reads.summary import summary
from usage.reads.trends import trends
from usage.retention import choices, erasing
from usage.retention.choices import Choice

# The standing clock's day, and the first day whose calls are kept of `DAYS` days.
TODAY, DAYS = date(2026, 9, 16), 40
KEPT_FROM = "2026-08-07"
_SPANS = [
    Days(),
    Days(date(2026, 6, 10), date(2026, 8, 20)),
    Days(date(2026, 8, 1), date(2026, 8, 31)),
    Days(date(2026, 4, 1), date(2026, 6, 30)),
    Days(date(2026, 8, 6), date(2026, 8, 6)),
    Days(date(2026, 8, 7), TODAY),
]
_NAMES: list[dict[str, Any]] = [
    {},
    {"model": "a"},
    {"client": "x"},
    {"purpose": "chat"},
    {"purpose": ""},
    {"model": ("b", "c"), "client": "y"},
    {"client": "x", "purpose": ("plan", "")},
]
_COMPARED = [Asked("previous"), Asked("month"), Asked("days", Days(date(2026, 5, 1), date(2026, 8, 6)))]


def calls(number: int = 400, *, measured: bool = False, seed: int = 1) -> list[IncomingRecord]:
    """Calls of half a year until today, some free, some without prompt or purpose."""
    dice, found = random.Random(seed), []
    for place in range(number):
        day = TODAY - timedelta(days=dice.randrange(180))
        tokens = Tokens(dice.randrange(100), dice.randrange(100), dice.randrange(9), 0) if dice.randrange(3) else None
        measures = Measures(dice.choice([*Provenance]), tokens) if measured and dice.randrange(4) else None
        is_unknown = measures is not None and measures.provenance is Provenance.UNKNOWN
        found.append(
            call(
                f"r{place:04}",
                ts=f"{day} {dice.randrange(24):02}:{dice.randrange(60):02}:{dice.randrange(60):02}",
                credits=0 if is_unknown else dice.randrange(4) / 7,
                model=dice.choice("abc"),
                client=dice.choice(["x", "y", ""]),
                agent_purpose=dice.choice(["chat", "plan", "", ""]),
                prompt=dice.choice(["", f"prompt {place} asks for something"]),
                measures=measures,
            )
        )
    return found


def fill(owner: User | int, number: int = 400, *, measured: bool = False, seed: int = 1) -> None:
    archive(owner, *calls(number, measured=measured, seed=seed))


def keep(user: User, *, calls_days: int | None = None, prompts_days: int | None = None) -> None:
    """Let an account keep calls and prompts for so long, and erase the rest."""
    choices.choose(user.pk, Choice(prompts_days, calls_days))
    assert erasing.go_on()


def sums(owner: User | int) -> dict[str, Any]:
    """All sums that are read of an archive, by what is asked; each is compared with one other period."""
    archive_id = owner if isinstance(owner, int) else owner.pk
    found: dict[str, Any] = {}
    asked_for = [RecordFilters(span, **names) for span in _SPANS for names in _NAMES]
    # The names and the periods to compare with meet in another order for each span.
    for filters, asked in zip(asked_for, itertools.cycle(_COMPARED), strict=False):
        now = dims(archive_id, filters, measured=True)
        found[f"{filters}"] = [
            as_json(summary(archive_id, filters, measured=True)),
            b"".join(daily_pieces(archive_id, filters, measured=True)),
            as_json(now.payload()),
            as_json(trends(archive_id, filters, now)),
            as_json(comparison.of_days(archive_id, filters, asked, measured=True)),
            as_json(comparison.of_dims(archive_id, filters, asked, "", now, measured=True)),
        ]
    return found
