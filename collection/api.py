"""The JSON views of collection and its runs (docs/api.md#collection)."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext
from django_q.tasks import async_task

from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import body_of, json_response
from collection import credential_check, run_start, run_stop, runs, verification_start
from collection.collector import collect as work_off
from collection.maintenance_actions import perform
from collection.models import Run
from collection.run_outcomes import OK
from usage import etag


def collect(request: AccountRequest) -> dict[str, Any] | HttpResponse:
    body = body_of(request)
    if parameters.truth(body.get("background")):
        return _collect_in_background(request, body)
    run, token = run_start.on_demand(request.user.pk, body)
    result = work_off(run, token, actor=request.user.username, ip=client_address(request))
    if result.outcome is not OK:
        event: dict[str, Any] = {"event": result.event} if result.event else {}
        raise ApiError(result.outcome.http, result.outcome.error, result.run.message, **event)
    return {"ok": True, "result": runs.payload(result.run)}


def collect_older(request: AccountRequest) -> HttpResponse:
    _require_workers()
    return _queued(run_start.queue_older(request.user.pk))


def verify(request: AccountRequest) -> HttpResponse:
    _require_workers()
    return _queued(verification_start.queue(request.user.pk, body_of(request)))


def run_list(request: AccountRequest) -> HttpResponseBase:
    limit = parameters.clamped(request.GET, "limit", 50, 500)

    def found() -> dict[str, Any]:
        return {"items": [runs.payload(run) for run in runs.newest(request.user.pk, limit)]}

    return etag.answer(request, limit, found)


def run(request: AccountRequest, run_id: str) -> HttpResponseBase:
    number = parameters.whole_number(run_id)

    def found() -> dict[str, Any]:
        run = runs.of_account(request.user.pk).filter(pk=number).first()
        if run is None:
            raise ApiError(404, None, gettext("There is no such run."))
        return runs.payload(run, detail=True)

    return etag.answer(request, number, found)


def stop(request: AccountRequest, run_id: str) -> dict[str, Any]:
    stopped = run_stop.stop(request.user.pk, parameters.whole_number(run_id))
    if stopped is None:
        raise ApiError(404, None, gettext("There is no such run."))
    is_running = stopped.status == Run.Status.RUNNING
    message = gettext("The run is stopping.") if is_running else gettext("The run is stopped.")
    return {"ok": True, "message": message, "run": runs.payload(stopped)}


def test_credential(request: AccountRequest) -> dict[str, Any]:
    """POST /api/credential/test: a refused credential is 200 with `ok` false, since the test itself succeeded."""
    return credential_check.check(request.user.pk, body_of(request))


def maintenance(request: AccountRequest, action: str) -> dict[str, Any]:
    return {"ok": True, "message": perform(action, request.user, body_of(request), ip=client_address(request))}


def _collect_in_background(request: AccountRequest, body: dict[str, Any]) -> HttpResponse:
    _require_workers()
    run, _ = run_start.on_demand(request.user.pk, body, queued=True)
    return _queued(run)


def _require_workers() -> None:
    if not run_start.workers_are_alive():
        message = gettext("Background collection needs a worker, but none is running.")
        raise ApiError(503, "unavailable", message)


def _queued(run: Run) -> HttpResponse:
    """Pass a run to the workers."""
    async_task("collection.tasks.collect_run", run.pk)
    return json_response({"ok": True, "run_id": run.pk}, 202)
