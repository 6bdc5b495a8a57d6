"""The types of what is known of days, as the API has them (docs/api.md#coverage).

`ledger` writes the days as text, row by row: their type only describes what is written.
"""

from typing import Annotated

from msgspec import UNSET, UnsetType

from archive_site.lib.http.answer_types import Answer, Count, Day, Timestamp, about, keys, one_of
from usage.coverage.ledger import State
from usage.measures import What
from usage.proofs.day_proofs import ProofState
from usage.sum_types import Window

_STATES = [state.value for state in State]
_OF_SOME = [State.ERASED.value, State.PROVED.value]
_COUNTED = about("calls that the upstream counted at `checked_at`; null where it never did")
StateCounts = Annotated[
    dict[str, int],
    keys(
        [state for state in _STATES if state not in _OF_SOME],
        _OF_SOME,
        words="how many days have each state; `erased` where calls were erased, `proved` of an archive with bills",
        type="integer",
        minimum=0,
    ),
]


class DifferenceFromBill(Answer, frozen=True):
    model: Annotated[str, about("without its provider; empty for the whole day")]
    what: Annotated[str, one_of(What, "what is counted")]
    here: Annotated[str | None, about("the sum of the calls; null where one has no value to add")]
    there: Annotated[str, about("what the bill says; an amount is in its unit")]


class ProofOfDay(Answer, frozen=True):
    bill: Annotated[Count, about("the archive that has the bill")]
    day: Annotated[Day, about("the day of the bill, in UTC")]
    state: Annotated[
        str, one_of(ProofState, "`missing` without a bill, `waiting` where it is not complete or compared")
    ]
    differences: list[DifferenceFromBill]
    uncounted: Annotated[list[str], about("models of the day's calls that the bill does not count")]


class DayOfCoverage(Answer, frozen=True):
    d: Day
    state: Annotated[str, one_of(_STATES, "the first of these states that holds")]
    upstream: Annotated[Count | None, _COUNTED]
    here: Annotated[Count, about("records")]
    without_prompt: Annotated[Count, about("records without a prompt")]
    checked_at: Annotated[Timestamp | None, about("when the upstream counted")]
    final: Annotated[bool, about("nothing more can be fetched")]
    proofs: (
        Annotated[list[ProofOfDay], about("of an archive with bills: for each of their days that the day touches")]
        | UnsetType
    ) = UNSET


class Coverage(Answer, frozen=True):
    days: Annotated[list[DayOfCoverage], about("each day of the window, ascending")]
    counts: StateCounts
    window: Window
