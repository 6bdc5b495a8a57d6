"""The types of runs, and of what starts them, as the API has them (docs/api.md#run)."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType, field

from accounts.config import KEYS
from archive_site.lib.http.answer_types import (
    Answer,
    Count,
    Day,
    Done,
    Given,
    LoggedFailure,
    Timestamp,
    Together,
    about,
    keys,
    one_of,
)
from archive_site.lib.http.described import Refusal
from archive_site.lib.http.request_types import Flag, Query, parameters_of, plain
from archive_site.lib.http.schemas import Schema, always, object_of, text
from archive_site.lib.http.schemas import one_of as a_text_of
from archive_site.lib.http.type_schemas import schema_of
from collection import models
from usage.export.header import LANGUAGES
from usage.importing.api_types import Examples, UnreadableAnswer
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


class CollectedArchive(Answer, frozen=True):
    archive: Annotated[int, about("the id of the archive")]
    ok: bool
    error: Annotated[str | None, about("the code of its failure")]
    message: Annotated[str, about("for people, in their language")]
    run: Annotated[Run | None, about("null where no run could begin")]


class CollectedArchives(Answer, frozen=True):
    ok: Annotated[bool, about("all of them were collected")]
    runs: list[CollectedArchive]


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
    background: Annotated[bool, about("whether a worker does it")] = False
    begin_with: (
        Annotated[int, about("with `archive=all`: the archive that is collected first, if it has a credential")]
        | UnsetType
    ) = UNSET


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
    credits: Annotated[float | None, about("null where the amount is unknown")]


class FineCredential(Answer, frozen=True):
    ok: Literal[True]
    outcome: Literal["fine"]
    message: str
    newest: Annotated[NewestCall, about("where there is a readable call")] | UnsetType = UNSET


_OUTCOMES = (
    "expired", "wrong_host", "user_agent_refused", "cookie_too_large", "refused", "api_moved", "network", "api",
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

# What the file of an account holds of its profile.
PROFILE = ("display_name", "language", "theme")
# Neither leaves the instance: the cookie is a secret, and the User-Agent belongs to it.
KEPT_BACK = ("cookie", "user_agent")
_PACKAGES = about("of credits, of the file of an account that has any")
_OF_ACCOUNT = "of the file of an account"
_FORMATS = ("csv", "json", "json-lines", "account")
_COLUMNS = about("the name of the column by the field that it was recognised as")
_CONFLICTING = about(
    "calls that are here with other values, and rows that differ from a later one of their call, also in prompt or "
    "purpose; the later one wins"
)
_DAMAGED = about("cells with bytes that are no text, stored with U+FFFD, or UTF-8 that was read as another encoding")
_EXAMPLES = about("at most 5 of each kind, of unreadable rows of each reason")
_SETTINGS = keys((), [name for name in KEYS if name not in KEPT_BACK], _OF_ACCOUNT, type="string")


class RunsInFile(Answer, frozen=True):
    new: Count
    known: Count
    unreadable: Count


class ImportedArchive(Answer, frozen=True):
    """An archive of an account's file beside the first one."""

    kind: str
    label: str
    rows: Count
    new: Count
    known: Count
    conflicting: Count
    repeated: Count
    prompts: Count
    too_old: Count
    unreadable: Count
    runs: RunsInFile
    packages: Annotated[Count, _PACKAGES] | UnsetType = UNSET


class ImportedFile(Answer, frozen=True):
    format: Annotated[str, one_of(_FORMATS, "of the file")]
    encoding: Annotated[str, Meta(description="of the file", examples=["utf-8"])]
    columns: Annotated[dict[str, str], _COLUMNS]
    rows: Annotated[Count, about("readable rows")]
    new: Annotated[Count, about("calls that are not here")]
    known: Annotated[Count, about("calls that are here")]
    conflicting: Annotated[Count, _CONFLICTING]
    repeated: Annotated[Count, about("rows whose call comes again in the file, with the same values")]
    prompts: Annotated[Count, about("known records that get a more complete prompt")]
    too_old: Annotated[Count, about("calls of days that were erased, which are left out")]
    unreadable: Annotated[Count, about("rows that are left out")]
    examples: Annotated[Examples, _EXAMPLES]
    damaged: Annotated[Count, _DAMAGED]
    days: Annotated[Count, about("of a report of sums: days, which `new` and `known` then count")] | UnsetType = UNSET
    runs: Annotated[RunsInFile, about(_OF_ACCOUNT)] | UnsetType = UNSET
    packages: Annotated[Count, _PACKAGES] | UnsetType = UNSET
    settings: Annotated[dict[str, str], _SETTINGS] | UnsetType = UNSET
    profile: Annotated[dict[str, str], keys((), PROFILE, _OF_ACCOUNT, type="string")] | UnsetType = UNSET
    archives: Annotated[list[ImportedArchive], about("of the file, beside the first")] | UnsetType = UNSET


class DryRun(Answer, frozen=True):
    ok: Literal[True]
    dry_run: Literal[True]


_HEADERS = plain(text(examples=['{"request_id": "ID", "time": "When"}']))


class ImportForm(Query, frozen=True):
    """What is beside the file in the form of an import."""

    dry_run: Annotated[Flag, about("yes: says what the file holds, and stores nothing")]
    columns: Annotated[str, _HEADERS, about("a JSON object that names columns by hand")]
    encoding: Annotated[str, plain(a_text_of(ENCODINGS)), about("where it is not found")]
    zone: Annotated[str, plain(text(examples=["Asia/Shanghai"])), about("the time zone of times without an offset")]


_FILE = text("CSV, JSON, or the file of a whole account", format="binary")
_BESIDE = {f"{one.name}?": {**one.schema, "description": one.about} for one in parameters_of(ImportForm).values()}
IMPORT_BODY: Schema = {**object_of({"file": _FILE, **_BESIDE}), "additionalProperties": True}
_IMPORT_RUN = Together((Run, ImportedFile), "ImportRun", "Import")
IMPORT: Schema = {
    "anyOf": [
        schema_of(Together((DryRun, ImportedFile))),
        object_of({"ok": always(True), "result": schema_of(_IMPORT_RUN)}),
    ]
}
UNREADABLE = {"400 unreadable": Refusal("The file cannot be read at all.", UnreadableAnswer)}
