"""The types of what is known of days, as the API has them (docs/api.md#coverage).

`day_states` writes the days as text, row by row: their type only describes what is written.
"""

from typing import Annotated

from archive_site.lib.http.answer_types import Answer, Count, Day, Timestamp, about, keys, one_of
from usage.coverage.day_states import State
from usage.sum_types import Window

_STATES = [state.value for state in State]
_COUNTED = about("calls that the upstream counted at `checked_at`; null where it never did")
StateCounts = Annotated[dict[str, int], keys(_STATES, words="how many days have each state", type="integer", minimum=0)]


class DayOfCoverage(Answer, frozen=True):
    d: Day
    state: Annotated[str, one_of(_STATES, "the first of these states that holds")]
    upstream: Annotated[Count | None, _COUNTED]
    here: Annotated[Count, about("records")]
    without_prompt: Annotated[Count, about("records without a prompt")]
    checked_at: Annotated[Timestamp | None, about("when the upstream counted")]
    final: Annotated[bool, about("nothing more can be fetched")]


class Coverage(Answer, frozen=True):
    days: Annotated[list[DayOfCoverage], about("each day of the window, ascending")]
    counts: StateCounts
    window: Window
