"""Filters of records, combined, and calls that each combination finds some of."""

from collections.abc import Iterator
from datetime import date
from itertools import chain, combinations, cycle, product
from typing import Any

from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import call
from usage.filters import RecordFilters

_ONE: dict[str, Any] = {"model": "glm", "client": "ide", "purpose": "chat"}
_SEVERAL: dict[str, Any] = {"model": ("glm", "模型"), "client": ("ide", ""), "purpose": ("chat", "")}
_SPANS = (Days(), Days(date(2026, 9, 7), date(2026, 9, 8)))
_OF_LISTS: list[dict[str, Any]] = [
    {},
    {"is_free": True},
    {"is_free": False},
    {"has_prompt": True},
    {"has_prompt": False},
    {"credits_above": 1_000_000},
    {"is_free": True, "has_prompt": True},
    {"is_free": False, "has_prompt": True},
    {"is_free": False, "has_prompt": True, "credits_above": 1_000_000},
]
# What a search looks for: with and without letters, other characters, pairs of both, and what counts as U+FFFD.
NEEDLES = ["ask", "%", "中", "k中", "1中", "ask 1中", "\uffff", "中\uffff", "k中\uffff"]

# Each model, client, purpose and hour, at several costs with and without a prompt.
CALLS = [
    call(
        f"r{number:02}",
        credits=credits,
        model=model,
        client=client,
        agent_purpose=purpose,
        ts=f"2026-09-0{6 + number % 3} {hour}:{number % 60:02}:00",
        prompt=prompt,
    )
    for number, ((credits, prompt), model, client, purpose, hour) in enumerate(
        product(
            [(0, ""), (0, "Ask 1中 100%"), (2, "Ask 1中 100%"), (2, "ask K中\ufffd"), (3, ""), (1, "ask")],
            ("glm", "模型"), ("ide", ""), ("chat", ""), (12, 23),
        )
    )
]  # fmt: skip


def combined() -> Iterator[RecordFilters]:
    """Each set of columns by name, with and without an hour, with each filter of lists; of one or several names, and of
    all days or some, in turn."""
    kinds = cycle(product((_ONE, _SEVERAL), _SPANS))
    columns = chain.from_iterable(combinations(_ONE, size) for size in range(len(_ONE) + 1))
    for chosen, hour, of_lists in product(columns, (None, 12), _OF_LISTS):
        names, days = next(kinds)
        yield RecordFilters(days, hour=hour, **{column: names[column] for column in chosen}, **of_lists)
