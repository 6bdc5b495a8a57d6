"""The forms of records, sums and their answers, for the description of the API (docs/api.md#resources)."""

from archive_site.lib.http.common_parameters import PAGED
from archive_site.lib.http.schemas import (
    Schema,
    Shared,
    count,
    day,
    list_of,
    map_of,
    nullable,
    number,
    object_of,
    one_of,
    switch,
    text,
    timestamp,
    whole,
    with_fields,
)
from archive_site.lib.http.type_schemas import fields_of, schema_of
from usage.coverage.day_states import State
from usage.sum_types import Compared, InPercent, Totals, Window

WINDOW = schema_of(Window)
TOTALS = schema_of(Totals)
RECORD = Shared(
    "Record",
    "Record",
    object_of(
        {
            "request_id": text("from the upstream", maxLength=128),
            "credits": number("exact to 6 decimals; 0 is a free call", minimum=0),
            "model": text("may be empty", maxLength=200),
            "client": text("may be empty", maxLength=200),
            "ts": timestamp("when the call was made"),
            "prompt?": text("may be empty; not in lists that are asked for without prompts (`lean=1`)"),
            "agent_purpose?": text("the purpose, where `columns=purpose` asks for it"),
        }
    ),
)
WHOLE_RECORD = with_fields(
    RECORD,
    {
        "prompt": text("may be empty"),
        "user_id": whole("the account"),
        "day": day("of `ts`"),
        "hour": whole("of `ts`", minimum=0, maximum=23),
        "agent_purpose": text("the purpose; may be empty"),
        "prompt_truncated": switch("the upstream gave only the beginning of the prompt"),
        "first_seen_at": timestamp("when it was collected"),
        "updated_at": timestamp("when it last changed"),
        "run_id": nullable(whole("the run that stored it last")),
    },
)
SHORT_RECORD = Shared(
    "ShortRecord",
    "Short form of a record",
    object_of(
        {
            "id": text("the `request_id`"),
            "c": number("credits"),
            "m": text("model"),
            "cl": text("client"),
            "t": timestamp("when the call was made"),
            "px": text("the first 120 characters of the prompt", maxLength=120),
        }
    ),
)

_COMPARED = fields_of(Compared)
_EARLIER = "with `compare`: the earlier span"
_HOURS = list_of(number(), "credits by hour", minItems=24, maxItems=24)
DAYS_OF_SERIES = list_of(
    object_of(
        {
            "d": day(),
            "c": number("credits"),
            "k": count("calls"),
            "fc": count("free calls"),
            "bc": count("billed calls"),
            "m": map_of(number(), "credits by model; of very long answers only the models that `/api/dims` lists"),
            "h": _HOURS,
        }
    ),
    "ascending, only days with records",
)
_EARLIER_DAY = object_of({"d": day(), "c": number("credits"), "k": count("calls"), "fc": count("free calls")})
DAILY = object_of(
    {
        "days": DAYS_OF_SERIES,
        "comparison?": object_of({**_COMPARED, "days": list_of(_EARLIER_DAY, "those with records")}, _EARLIER),
    }
)

_FIGURES: dict[str, Schema] = {
    "credits": number(),
    "calls": count(),
    "avg": number("credits of a call on average"),
    "free": count("free calls"),
}
DIM_ITEM = Shared("DimItem", "Dims", object_of({"name": text("empty for the calls without one"), **_FIGURES}))
_PURPOSE_ITEM = Shared(
    "PurposeItem",
    "Dims",
    object_of(
        {
            "name": nullable(text("empty for the calls without one, null for those whose purpose is not known")),
            **_FIGURES,
        }
    ),
)
_ITEMS: dict[str, Schema] = {
    "model?": list_of(DIM_ITEM, "by credits downwards, then name"),
    "client?": list_of(DIM_ITEM, "by credits downwards, then name"),
    "hour?": list_of(DIM_ITEM, "all 24, `00` to `23`"),
    "purpose?": list_of(
        _PURPOSE_ITEM, "with `dim=purpose`; by credits downwards, then name, and last the calls of unknown purpose"
    ),
}
_OTHER = Shared("OtherNames", "Dims", object_of({"names": count("how many there are"), **_FIGURES}))


def _others(*dims: str) -> Schema:
    about = "of a list that has more than 1,000 names: those that are not listed"
    return object_of({f"{dim}?": _OTHER for dim in dims}, about)


_SINCE_THEN = {**schema_of(InPercent), "description": "since then"}
_BY_NAME = map_of(Shared("EarlierItem", "Comparison", object_of({**_FIGURES, "change": _SINCE_THEN})))
_POINTS = map_of(list_of(number()), "credits of each point by name, of the 50 biggest names")
DIMS = object_of(
    {
        **_ITEMS,
        "others?": _others("model", "client", "purpose"),
        "comparison?": object_of(
            {**_COMPARED, "items": object_of(dict.fromkeys(_ITEMS, _BY_NAME), "the earlier items by name")},
            _EARLIER,
        ),
        "trend?": object_of(
            {
                "days": count("days of a point; the last one ends with the window, the first may be shorter"),
                "model?": _POINTS,
                "client?": _POINTS,
                "purpose?": _POINTS,
            },
            "with `trend=1`: up to 60 points for small lines",
        ),
    }
)
DIMS_OF_BUNDLE = object_of(
    {
        **{name.rstrip("?"): field for name, field in _ITEMS.items() if name != "purpose?"},
        "others?": _others("model", "client"),
    }
)

STATE_COUNTS = object_of({state.value: count() for state in State}, "how many days have each state")
COVERAGE = object_of(
    {
        "days": list_of(
            object_of(
                {
                    "d": day(),
                    "state": one_of([state.value for state in State], "the first of these states that holds"),
                    "upstream": nullable(
                        count("calls that the upstream counted at `checked_at`; null where it never did")
                    ),
                    "here": count("records"),
                    "without_prompt": count("records without a prompt"),
                    "checked_at": nullable(timestamp("when the upstream counted")),
                    "final": switch("nothing more can be fetched"),
                }
            ),
            "each day of the window, ascending",
        ),
        "counts": STATE_COUNTS,
        "window": WINDOW,
    }
)

RECORDS = object_of(
    {
        "items": list_of(RECORD),
        **PAGED,
        "next?": nullable(text("in an order of time: the place after the last item, for `after`; null at the end")),
        "window": WINDOW,
        "sums?": object_of(
            {
                "credits": number("of all records that the filters find"),
                "avg": number("credits of a call on average"),
                "free": count("free calls"),
                "freeShare": nullable(number("their share of `total` in percent; null without records")),
            },
            "with `sums=1`",
        ),
    }
)

_MIRRORED = {name: WHOLE_RECORD["properties"][name] for name in ("agent_purpose", "prompt_truncated", "prompt")}
CHANGED_RECORD = Shared(
    "ChangedRecord", "Changes", object_of({**RECORD["properties"], **_MIRRORED}, "as it is at the moment of the answer")
)
CHANGES = object_of(
    {
        "removed": list_of(text(), "the `request_id` of each record that was removed"),
        "added": list_of(CHANGED_RECORD),
        "changed": list_of(CHANGED_RECORD),
        "next": text("the place after this answer"),
        "more": switch("whether more changes are there already"),
    }
)
