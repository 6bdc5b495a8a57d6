"""The types of the groups of calls, as the API has them (docs/api.md#repeated)."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from archive_site.lib.http.answer_types import Answer, Count, about
from usage.sum_types import Window

# Characters of a prompt, and models of a group.
EXCERPT, MOST_MODELS = 120, 20
# A model with fewer calls of a group says nothing of what the others would cost.
LEAST_CALLS = 3

_NAME = about("empty for the calls without one")
_CHEAPEST = (
    f"the model with the lowest average, without models of fewer than {LEAST_CALLS} calls of the group; null where one "
    "model answered all calls, or each only so few"
)


class ModelOfGroup(Answer, frozen=True):
    model: Annotated[str, _NAME]
    calls: Count
    credits: float


class CheapestModel(Answer, frozen=True):
    model: Annotated[str, _NAME]
    credits: Annotated[float, about("what all calls of the group would have cost at its average: an estimate")]


class RepeatedPrompt(Answer, frozen=True):
    heading: ClassVar[str] = "Repeated"

    prompt: Annotated[
        str, Meta(description="the first 120 characters of the prompt of its dearest call", max_length=EXCERPT)
    ]
    calls: Annotated[Count, about("at least 2")]
    credits: Annotated[float, about("of all its calls")]
    models: Annotated[
        list[ModelOfGroup],
        Meta(description="by credits downwards, then name; the first 20", min_length=1, max_length=MOST_MODELS),
    ]
    cheapest: Annotated[CheapestModel | None, about(_CHEAPEST)]


class Repeated(Answer, frozen=True):
    items: Annotated[list[RepeatedPrompt], about("by credits downwards, then calls")]
    window: Window
    prepared: (
        Annotated[
            int,
            Meta(description="only while records of before an upgrade are prepared: how many are, in percent", ge=0),
        ]
        | UnsetType
    ) = UNSET
