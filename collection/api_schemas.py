"""The forms of runs, and of what starts them, for the description of the API (docs/api.md#run)."""

from accounts.config import KEYS
from archive_site.lib.http.described import Refusal
from archive_site.lib.http.schemas import (
    Schema,
    Shared,
    always,
    count,
    day,
    list_of,
    map_of,
    nullable,
    number,
    object_of,
    one_of,
    text,
    timestamp,
    whole,
    with_fields,
)
from collection.account_file import KEPT_BACK, PROFILE
from collection.models import Run
from usage.importing.encodings import NAMES as ENCODINGS

RUN = Shared(
    "Run",
    "Run",
    object_of(
        {
            "id": whole(),
            "kind": one_of(
                Run.Kind.values,
                "`older` reaches back behind the first window. `verification` and `import` are never `last_run`, an "
                "attempt, or a sign of the cookie's health",
            ),
            "trigger": one_of(
                Run.Trigger.values,
                "`startup`: caught up by the scheduler. `imported`: it came with an import of a whole account; such "
                "runs are listed after all others, and are never `last_run` or an attempt",
            ),
            "status": one_of(Run.Status.values),
            "started_at": timestamp("of a queued run: when it was queued"),
            "finished_at": nullable(timestamp("null until the end")),
            "duration_ms": nullable(count("null until the end")),
            "win_from": nullable(timestamp("null until a scheduled run starts")),
            "win_to": nullable(timestamp("the moment of the start where `to` is today or later")),
            "fetched": count("rows that came from the upstream, or are in the imported file"),
            "added": count("new records"),
            "dup": count("rows that were already known, unchanged"),
            "total": count("records of the account after the run"),
            "conflicts": count("rows whose record has other values at the upstream, or in the imported file"),
            "exit_code": nullable(
                whole(
                    "0 ok, 1 internal, 2 no_cookie, 3 cookie_broken, 4 cookie_expired, 5 api, 6 interrupted, "
                    "7 account_full; null until the end"
                )
            ),
            "message": text("one sentence about the end, in the reader's language"),
            "cause": text(
                "the code of that sentence, such as `collected`, `cookie_refused` or `no_answer`. Where the run failed "
                "while reading what an earlier run left, the code of that failure. Empty before the end and where it "
                "is unknown. Codes keep their meaning; new ones may be added"
            ),
        }
    ),
)
WHOLE_RUN = Shared(
    "WholeRun",
    "One run",
    with_fields(RUN, {"detail": text("one time-stamped line per step, at most 256 KiB")}),
    in_words=True,
)
QUEUED = object_of({"ok": always(True), "run_id": whole("of the run that waits for a worker")})

_FROM, _TO = day("the first day"), day("the last day; its end, or now where that lies ahead")
SPAN: dict[str, Schema] = {"from?": _FROM, "to?": _TO}
_EVENT = {"event": text("names the entry of the log", pattern="^[0-9a-f]{8}$")}
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
NO_SPACE = {"507 no_space": "The disk is full."}
ACCOUNT_FULL = {"507 account_full": "The account stores as much as it may, and the next calls do not fit."}
FAILED = {"500 internal": Refusal("The work failed unexpectedly.", _EVENT)}

_NEWEST = object_of(
    {"ts": timestamp("when the call was made"), "model": text(), "client": text(), "credits": number()},
    "where there is a readable call",
)
_OUTCOMES = (
    "expired", "wrong_host", "user_agent_refused", "cookie_too_large", "api_moved", "network", "api",
)  # fmt: skip
CREDENTIAL_TEST: Schema = {
    "anyOf": [
        object_of({"ok": always(True), "outcome": always("fine"), "message": text(), "newest?": _NEWEST}),
        object_of(
            {
                "ok": always(False),
                "outcome": one_of(_OUTCOMES, "why the credential does not work; the test itself did"),
                "message": text("what to do"),
                "detail?": text("the sentence of the collector, for the last three outcomes"),
            }
        ),
    ]
}
INVALID = {
    "400 invalid": Refusal(
        "The settings would refuse these texts.",
        {"errors": list_of(text()), "changed": list_of(text(), "none: nothing is stored", maxItems=0)},
    )
}

_EXAMPLE: dict[str, Schema] = {
    "request_id": text(),
    "credits": number(),
    "model": text(),
    "client": text(),
    "ts": timestamp(),
}
_FILE: dict[str, Schema] = {
    "format": one_of(("csv", "json", "json-lines", "account"), "of the file"),
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
            "dry_run?": one_of(("1", "true", "on", "0"), "yes: says what the file holds, and stores nothing"),
            "columns?": text(
                "a JSON object that names columns by hand", examples=['{"request_id": "ID", "time": "When"}']
            ),
            "encoding?": one_of(ENCODINGS, "where it is not found"),
            "zone?": text("the time zone of times without an offset", examples=["Asia/Shanghai"]),
        }
    ),
    "additionalProperties": True,
}
IMPORT: Schema = {
    "anyOf": [
        object_of({"ok": always(True), "dry_run": always(True), **_FILE}),
        object_of(
            {"ok": always(True), "result": Shared("ImportRun", "Import", with_fields(RUN, _FILE), in_words=True)}
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
