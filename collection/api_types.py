"""The types of runs, and of what starts them, as the API has them (docs/api.md#run)."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType, field

from accounts.config import KEYS
from archive_site.lib.http.answer_types import Answer, Count, Day, Done, Given, LoggedFailure, Timestamp, about, one_of
from archive_site.lib.http.described import Refusal
from archive_site.lib.http.schemas import (
    Schema,
    Shared,
    always,
    count,
    list_of,
    map_of,
    nullable,
    number,
    object_of,
    text,
    timestamp,
    whole,
    with_fields,
)
from archive_site.lib.http.schemas import (
    one_of as a_text_of,
)
from archive_site.lib.http.type_schemas import schema_of
from collection import models
from collection.account_file import KEPT_BACK, PROFILE
from usage.export.header import LANGUAGES
from usage.importing.encodings import NAMES as ENCODINGS

_KIND = (
    "`older` reaches back behind the first window. `verification` and `import` are never `last_run`, an attempt, or a "
    "sign of the cookie's health"
)
_TRIGGER = (
    "`startup`: caught up by the scheduler. `imported`: it came with an import of a whole account; such runs are "
    "listed after all others, and are never `last_run` or an attempt"
)
_EXIT_CODE = (
    "0 ok, 1 internal, 2 no_cookie, 3 cookie_broken, 4 cookie_expired, 5 api, 6 interrupted, 7 account_full; null "
    "until the end"
)
_CAUSE = (
    "the code of that sentence, such as `collected`, `cookie_refused` or `no_answer`. Where the run failed while "
    "reading what an earlier run left, the code of that failure. Empty before the end and where it is unknown. Codes "
    "keep their meaning; new ones may be added"
)


class Run(Answer, frozen=True):
    heading: ClassVar[str] = "Run"

    id: int
    kind: Annotated[str, one_of(models.Run.Kind.values, _KIND)]
    trigger: Annotated[str, one_of(models.Run.Trigger.values, _TRIGGER)]
    status: Annotated[str, one_of(models.Run.Status.values)]
    started_at: Annotated[Timestamp, about("of a queued run: when it was queued")]
    finished_at: Annotated[Timestamp | None, about("null until the end")]
    duration_ms: Annotated[Count | None, about("null until the end")]
    win_from: Annotated[Timestamp | None, about("null until a scheduled run starts")]
    win_to: Annotated[Timestamp | None, about("the moment of the start where `to` is today or later")]
    fetched: Annotated[Count, about("rows that came from the upstream, or are in the imported file")]
    added: Annotated[Count, about("new records")]
    dup: Annotated[Count, about("rows that were already known, unchanged")]
    total: Annotated[Count, about("records of the account after the run")]
    conflicts: Annotated[Count, about("rows whose record has other values at the upstream, or in the imported file")]
    exit_code: Annotated[int | None, about(_EXIT_CODE)]
    message: Annotated[str, about("one sentence about the end, in the reader's language")]
    cause: Annotated[str, about(_CAUSE)]


class WholeRun(Run, frozen=True):
    heading: ClassVar[str] = "One run"
    in_words: ClassVar[bool] = True

    detail: Annotated[str, about("one time-stamped line per step, at most 256 KiB")]


class CollectedRun(Answer, frozen=True):
    ok: Literal[True]
    result: Run


class QueuedRun(Answer, frozen=True):
    ok: Literal[True]
    run_id: Annotated[int, about("of the run that waits for a worker")]


class StoppedRun(Done, frozen=True):
    run: Run


class RunSpan(Given, frozen=True):
    first: Annotated[Day, about("the first day")] | UnsetType = field(default=UNSET, name="from")
    last: Annotated[Day, about("the last day; its end, or now where that lies ahead")] | UnsetType = field(
        default=UNSET, name="to"
    )


class CollectedSpan(RunSpan, frozen=True):
    background: Annotated[bool, about("whether a worker does it")] | UnsetType = UNSET


class Nothing(Given, frozen=True):
    """A body without fields."""


class ExportOptions(Given, frozen=True):
    columns: Annotated[str, one_of(("purpose",), "of `export-csv`: adds the purpose")] | UnsetType = UNSET
    lang: Annotated[str, one_of(LANGUAGES, "of `export-csv`: the language of the header")] | UnsetType = UNSET


COOKIE_ERRORS = {
    "409 no_cookie": "The account has no cookie.",
    "409 cookie_broken": "The cookie of the account cannot be decrypted.",
}
UPSTREAM_ERRORS = {
    **COOKIE_ERRORS,
    "401 cookie_expired": "The upstream refused the cookie.",
    "502 api": "The upstream failed.",
}
BUSY = {"409 busy": "Another collection runs, as many as may at once, or an import or a restore."}
NO_WORKER = {"503 unavailable": "No worker is alive."}
INTERRUPTED = {"409 interrupted": "The work was stopped or taken over before its end."}
ACCOUNT_FULL = {"507 account_full": "The account stores as much as it may, and the next calls do not fit."}
NO_SPACE = {"507 no_space": "The disk is full."}
FAILED = {"500 internal": Refusal("The work failed unexpectedly.", LoggedFailure)}


class GivenCredential(Given, frozen=True):
    cookie: Annotated[str, about("or a whole copied request")] | UnsetType = UNSET
    user_agent: str | UnsetType = UNSET


class NewestCall(Answer, frozen=True):
    ts: Annotated[Timestamp, about("when the call was made")]
    model: str
    client: str
    credits: float


class FineCredential(Answer, frozen=True):
    ok: Literal[True]
    outcome: Literal["fine"]
    message: str
    newest: Annotated[NewestCall, about("where there is a readable call")] | UnsetType = UNSET


_OUTCOMES = (
    "expired", "wrong_host", "user_agent_refused", "cookie_too_large", "api_moved", "network", "api",
)  # fmt: skip


class FailingCredential(Answer, frozen=True):
    ok: Literal[False]
    outcome: Annotated[str, one_of(_OUTCOMES, "why the credential does not work; the test itself did")]
    message: Annotated[str, about("what to do")]
    detail: Annotated[str, about("the sentence of the collector, for the last three outcomes")] | UnsetType = UNSET


class RefusedCredential(Answer, frozen=True):
    errors: list[str]
    changed: Annotated[list[str], Meta(description="none: nothing is stored", max_length=0)]


INVALID = {"400 invalid": Refusal("The settings would refuse these texts.", RefusedCredential)}

_EXAMPLE: dict[str, Schema] = {
    "request_id": text(),
    "credits": number(),
    "model": text(),
    "client": text(),
    "ts": timestamp(),
}
_FILE: dict[str, Schema] = {
    "format": a_text_of(("csv", "json", "json-lines", "account"), "of the file"),
    "encoding": text("of the file", examples=["utf-8"]),
    "columns": map_of(text(), "the name of the column by the field that it was recognised as"),
    "rows": count("readable rows"),
    "new": count("calls that are not here"),
    "known": count("calls that are here"),
    "conflicting": count("calls that are here with other values, and rows that differ from a later one of their call"),
    "repeated": count("rows whose call comes again in the file, with the same values"),
    "prompts": count("known records that get a more complete prompt"),
    "unreadable": count("rows that are left out"),
    "damaged": count("cells with bytes that are no text, stored as U+FFFD"),
    "examples": object_of(
        {
            "new": list_of(object_of(_EXAMPLE)),
            "conflicting": list_of(object_of({"request_id": text(), "differs": list_of(text())})),
            "unreadable": list_of(
                object_of(
                    {
                        "row": whole("the line of a CSV file or of JSON lines, else the number of the element"),
                        "reason": text("with column and value"),
                        "column": text("of the cell that is the reason, else empty"),
                        "value": text("of that cell, cut"),
                    }
                )
            ),
            "damaged": list_of(object_of({"row": whole(), "column": text(), "value": text("around the first one")})),
        },
        "at most 5 of each kind, of unreadable rows of each reason",
    ),
    "runs?": object_of({"new": count(), "known": count(), "unreadable": count()}, "of the file of an account"),
    "settings?": object_of({f"{name}?": text() for name in KEYS if name not in KEPT_BACK}, "of the file of an account"),
    "profile?": object_of({f"{name}?": text() for name in PROFILE}, "of the file of an account"),
}
IMPORT_BODY: Schema = {
    **object_of(
        {
            "file": text("CSV, JSON, or the file of a whole account", format="binary"),
            "dry_run?": a_text_of(("1", "true", "on", "0"), "yes: says what the file holds, and stores nothing"),
            "columns?": text(
                "a JSON object that names columns by hand", examples=['{"request_id": "ID", "time": "When"}']
            ),
            "encoding?": a_text_of(ENCODINGS, "where it is not found"),
            "zone?": text("the time zone of times without an offset", examples=["Asia/Shanghai"]),
        }
    ),
    "additionalProperties": True,
}
IMPORT: Schema = {
    "anyOf": [
        object_of({"ok": always(True), "dry_run": always(True), **_FILE}),
        object_of(
            {
                "ok": always(True),
                "result": Shared("ImportRun", "Import", with_fields(schema_of(Run), _FILE), in_words=True),
            }
        ),
    ]
}
UNREADABLE = {
    "400 unreadable": Refusal(
        "The file cannot be read at all.",
        {
            "columns?": map_of(nullable(text()), "the column by field; null where none is recognised"),
            "headers?": list_of(text(), "where no column is recognised for a field that every call has"),
            "encodings?": list_of(text(), "to choose from, where the encoding is not found; likely ones first"),
        },
    )
}
