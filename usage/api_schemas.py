"""The forms of records, sums and their answers, for the description of the API (docs/api.md#resources)."""

from archive_site.lib.http.common_parameters import PAGED
from archive_site.lib.http.schemas import (
    Shared,
    count,
    day,
    list_of,
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
from usage.sum_types import Daily, DimsOfBundle, Totals, Window

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

DAYS_OF_SERIES = fields_of(Daily)["days"]
DIMS_OF_BUNDLE = schema_of(DimsOfBundle)
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
