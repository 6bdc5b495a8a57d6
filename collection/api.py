"""The JSON views of collection and its runs (docs/api.md#collection)."""

from typing import Annotated

from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext
from django_q.tasks import async_task

from accounts import archives
from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Items, LoggedFailure, about, one_of
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import COLLECTION, described
from archive_site.lib.http.json_views import body_of, json_response
from archive_site.lib.http.request_types import Query, clamped
from collection import credential_check, in_turn
from collection.api_types import (
    ACCOUNT_FULL,
    BUSY,
    COOKIE_ERRORS,
    FAILED,
    INTERRUPTED,
    INVALID,
    KEPT_BACK,
    NO_SPACE,
    NO_WORKER,
    UPSTREAM_ERRORS,
    CollectedArchives,
    CollectedRun,
    CollectedSpan,
    ExportOptions,
    FailingCredential,
    FineCredential,
    GivenCredential,
    Nothing,
    QueuedRun,
    RunSpan,
    StoppedRun,
    WholeRun,
)
from collection.api_types import Run as RunAnswer
from collection.maintenance_actions import ACTIONS, perform
from collection.models import Run
from collection.reading.collector import collect as work_off
from collection.runs import run_start, run_stop, runs
from collection.runs.run_outcomes import OK
from collection.sources import kinds
from collection.verification import verification_start
from usage import etag


@described(
    COLLECTION,
    "Collect",
    "Collect now, with the account's own cookie",
    about="Lasts as long as the run. With `background` the run is queued for the workers: 202. With `archive=all` the "
    "archives of the account that have a credential are collected in turn, and the answer has `runs`.",
    body=CollectedSpan,
    answers={200: CollectedRun | CollectedArchives, 202: QueuedRun},
    errors={
        **BUSY,
        "429 too_frequent": "The last run of the account was a moment ago.",
        "400 bad_request": "The days are invalid, or outside the span that a run may have.",
        **UPSTREAM_ERRORS,
        **INTERRUPTED,
        **FAILED,
        **ACCOUNT_FULL,
        **NO_WORKER,
    },
)
def collect(request: AccountRequest) -> CollectedRun | CollectedArchives | HttpResponse:
    body, are_all = body_of(request), archives.are_all_named(request)
    begin_with = body.get("begin_with")
    own = in_turn.collectable(request.user.pk, begin_with) if are_all else [_asked(request)]
    if parameter_parsing.flag(body, "background"):
        _require_workers()
        return _answer_queued(in_turn.queue_each(own, body))
    if are_all:
        done = in_turn.collect_each(request.user, own, body, ip=client_address(request))
        return CollectedArchives(all(one.ok for one in done), done)
    run, token = run_start.on_demand(own[0], body)
    result = work_off(run, token, actor=request.user.username, ip=client_address(request))
    if result.refusal:
        raise result.refusal
    if result.outcome is not OK:
        more = LoggedFailure(result.event) if result.event else None
        raise ApiError(result.outcome.http, result.outcome.error, result.run.message, more=more)
    return CollectedRun(True, runs.payload(result.run))


@described(
    COLLECTION,
    "Older calls",
    "Queue a run that reads the days that no run has read",
    body=Nothing,
    answers={202: QueuedRun},
    errors={**NO_WORKER, **BUSY, "429 too_frequent": "The last run of the account was a moment ago."},
)
def collect_older(request: AccountRequest) -> HttpResponse:
    archive_id = _with_calls(request)
    _require_workers()
    return _queued(run_start.queue_older(archive_id))


@described(
    COLLECTION,
    "Verify",
    "Queue a run that compares days with the upstream",
    body=RunSpan,
    answers={202: QueuedRun},
    errors={
        **NO_WORKER,
        **BUSY,
        "429 too_frequent": "The last request that passed was less than 60 seconds ago.",
        "400 bad_request": "The days are invalid, or there are no days to verify.",
    },
)
def verify(request: AccountRequest) -> HttpResponse:
    archive_id = _with_calls(request)
    _require_workers()
    return _queued(verification_start.queue(archive_id, body_of(request)))


class OfRuns(Query, frozen=True):
    limit: Annotated[int, clamped(50, 500), about("how many")]


@described(COLLECTION, "Runs", "The runs of the account, newest first", answer=Items[RunAnswer], is_conditional=True)
def run_list(request: AccountRequest, query: OfRuns) -> HttpResponseBase:
    def found() -> Items[RunAnswer]:
        return Items([runs.payload(run) for run in runs.newest(archives.of_request(request), query.limit)])

    return etag.answer(request, query.limit, found)


@described(
    COLLECTION,
    "One run",
    "A run with its detail",
    answer=WholeRun,
    errors={"404": "The account has no such run."},
    is_conditional=True,
)
def run(request: AccountRequest, run_id: int) -> HttpResponseBase:
    def found() -> WholeRun:
        run = runs.of_account(archives.of_request(request)).filter(pk=run_id).first()
        if run is None:
            raise ApiError(404, None, gettext("There is no such run."))
        return runs.whole_payload(run)

    return etag.answer(request, run_id, found)


@described(
    COLLECTION,
    "Stop a run",
    "End a run: a queued one at once, a running one after the page in flight",
    errors={"404": "The account has no such run.", "409 bad_request": "The run has ended."},
)
def stop(request: AccountRequest, run_id: int) -> StoppedRun:
    stopped = run_stop.stop(archives.of_request(request), run_id)
    if stopped is None:
        raise ApiError(404, None, gettext("There is no such run."))
    is_over = stopped.status == Run.Status.INTERRUPTED
    message = gettext("The run is stopped.") if is_over else gettext("The run is stopping.")
    return StoppedRun(True, message, runs.payload(stopped))


@described(
    COLLECTION,
    "Credential test",
    "Ask the upstream for one row",
    about="What is missing in the body is taken from the account's settings.",
    body=GivenCredential,
    answer=FineCredential | FailingCredential,
    errors={**INVALID, **COOKIE_ERRORS, "429 too_frequent": "The last test was less than 10 seconds ago."},
)
def test_credential(request: AccountRequest) -> FineCredential | FailingCredential:
    """POST /api/credential/test: a refused credential is 200 with `ok` false, since the test itself succeeded."""
    body = body_of(request)
    given = {name: body[name] for name in KEPT_BACK if name in body}
    return credential_check.check(archives.first_of(request.user.pk), given)


@described(
    COLLECTION,
    "Maintenance",
    "Do a maintenance action",
    body=ExportOptions,
    errors={
        "404 unknown": "There is no such action.",
        "403 forbidden": "`vacuum` is for administrators.",
        "429 too_frequent": "The interval of the action is not over.",
        "400 bad_request": "`export-csv` got a value that is not accepted.",
        **BUSY,
        **UPSTREAM_ERRORS,
        **INTERRUPTED,
        **ACCOUNT_FULL,
        **NO_SPACE,
    },
)
def maintenance(request: AccountRequest, action: Annotated[str, one_of(ACTIONS)]) -> Done:
    user, archive_id = request.user, archives.of_request(request)
    return Done(True, perform(action, user, archive_id, body_of(request), ip=client_address(request)))


def _asked(request: AccountRequest) -> int:
    """The archive that the request is about, whose source is asked. Raises ApiError 400 for one of files."""
    archive_id = archives.of_request(request)
    kinds.require_way(archive_id)
    return archive_id


def _with_calls(request: AccountRequest) -> int:
    """The same, where its calls are read. Raises ApiError 400 for one of files or of bills."""
    archive_id = archives.of_request(request)
    kinds.require_calls(archive_id)
    return archive_id


def _require_workers() -> None:
    if not run_start.workers_are_alive():
        message = gettext("Background collection needs a worker, but none is running.")
        raise ApiError(503, "unavailable", message)


def _queued(run: Run) -> HttpResponse:
    """Pass a run to the workers."""
    async_task("collection.tasks.collect_run", run.pk)
    return _answer_queued(run)


def _answer_queued(run: Run) -> HttpResponse:
    return json_response(QueuedRun(True, run.pk), 202)
