"""Comparing the sums of calls with those of a bill. Pure functions."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from usage.measures import What
from usage.proofs.bill import NO_MODEL, WHOLE, Sum, Sums

# The date behind the name of a version of a model.
_DATE = re.compile(r"-20\d{2}-?\d{2}-?\d{2}$", re.ASCII)
# By model and what is counted; None where a call has no value to add.
SumsHere = Mapping[tuple[str, What], int | None]


class Difference(NamedTuple):
    """What differs, of a model or of the whole day, and how much is here and there; `here` is None where a call has no
    value to add."""

    model: str
    what: What
    here: int | None
    there: int


def differences(here: SumsHere, there: Sums) -> list[Difference]:
    """Where sums of calls do not agree with a bill, by model and of the whole day.

    A bill that counts something by model counts it of every model: one that it does not name has none there.
    """
    by_model = {key: each for key, each in there.items() if key[0] != WHOLE}
    of_day = {key: each for key, each in there.items() if key[0] == WHOLE}
    named = _names({model for model, _ in here}, {model for model, _ in by_model})
    return [*_differing(here, by_model, named), *_differing(here, of_day, lambda model: WHOLE)]


def split(
    here: SumsHere, there: Sums, counted: Collection[tuple[str, What]], *, costs_name_models: bool = True
) -> tuple[SumsHere, Sums, list[str]]:
    """The sums of the models that a bill of some models counts, here and there, and the other models of the calls here.

    `counted` is what it counts on any day: a model that it does not name on this one had no calls. Of one that it names
    it may leave something out. Amounts are after discounts and credits of the vendor alone, so they are compared only
    where a model costs something that is neither counted there nor has calls here; with calls it is not counted. Costs
    whose names are not those of usage say nothing. Sums of the whole day have no part: they are of other models, too.
    """
    counted = [key for key in counted if _may_prove(key)]
    named = _names({model for model, _ in here}, {model for model, _ in counted})
    sums = {key: each for key, each in there.items() if _may_prove(key)}
    models, of_day = {named(model) for model, _ in counted}, {named(model) for model, _ in sums}
    # Costs may name a model without its version.
    costs = {key: each for key, each in there.items() if key[1] is What.AMOUNT and key[0] not in (WHOLE, NO_MODEL)}
    costing = {_undated(model) for (model, _), each in costs.items() if each.amount > 0}
    only_costed = costing - {_undated(model) for model, _ in sums}
    without_calls = only_costed - {_undated(model) for model, _ in here} if costs_name_models else set()
    whole = {key: Sum(0) for key in counted if named(key[0]) not in of_day and _undated(key[0]) not in only_costed}
    whole |= sums | {key: each for key, each in costs.items() if _undated(key[0]) in without_calls}
    compared = {(named(model), what) for model, what in whole}
    mine = {(model, what): amount for (model, what), amount in here.items() if (named(model), what) in compared}
    uncounted = {model for model, _ in here if named(model) not in models or _undated(model) in only_costed}
    return mine, whole, sorted(uncounted)


def _may_prove(key: tuple[str, What]) -> bool:
    model, what = key
    return model != WHOLE and what is not What.AMOUNT


def _differing(here: SumsHere, there: Sums, named: Callable[[str], str]) -> list[Difference]:
    """Where they do not agree in what the bill counts, with models under the names that `named` gives."""
    counted = {what for _, what in there}
    mine, amounts, within = Counter[tuple[str, What]](), Counter[tuple[str, What]](), Counter[tuple[str, What]]()
    unknown = set()
    for (model, what), amount in here.items():
        mine[named(model), what] += amount or 0
        if amount is None:
            unknown.add((named(model), what))
    for (model, what), each in there.items():
        amounts[named(model), what] += each.amount
        within[named(model), what] += each.within
    return [
        Difference(*key, None if key in unknown else mine[key], amounts[key])
        for key in sorted(mine.keys() | amounts.keys())
        if key[1] in counted and (key in unknown or abs(mine[key] - amounts[key]) > within[key])
    ]


def _names(here: Iterable[str], there: Iterable[str]) -> Callable[[str], str]:
    """The name under which a model is compared: without its provider, and without its date where the versions of the
    two sides are not the same."""
    versions: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for side, names in enumerate((here, there)):
        for name in names:
            versions[_undated(name)][side].add(_bare(name))
    alike = {name for mine, theirs in versions.values() if mine == theirs for name in mine}

    def named(model: str) -> str:
        name = _bare(model)
        return name if name in alike else _undated(model)

    return named


def _undated(name: str) -> str:
    return _DATE.sub("", _bare(name))


def _bare(name: str) -> str:
    """A name without its provider, as that in `openai/gpt-5`."""
    return name.rpartition("/")[2].strip().lower()
