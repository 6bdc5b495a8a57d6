"""Shared by tests of collection: a clock to set, a run as in a worker, and its expected result."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, User
from collection.account_of_archive import fingerprint
from collection.models import AccountOfArchive, Run
from collection.reading.collector import collect
from collection.runs import run_start
from collection.runs.run_execution import Result
from collection.sources.codebuddy.simulator.simulator import SimulatedCall, Simulator
from tests.collection.rollup_errors import ROLLUP_ERRORS
from usage.models import Record

# Request id to credits in millionths and the server's wall clock.
Contents = dict[str, tuple[int, str]]
# The first day of a span that is one window.
WEEK = date(2026, 9, 1)


def set_up(user: User, simulator: Simulator, account: int = 0, **more: object) -> None:
    """Point the instance at the simulator and give a user one of its cookies; `more` are other instance settings."""
    values = {"api_base": simulator.base_url, "page_size": "20", "collect_min_interval_seconds": "0", **more}
    outcome = config.write(values, archive_id=INSTANCE, may_edit_instance=True)
    assert not outcome.errors
    credential.store(user.pk, simulator.cookie(account))


def confirm(user: User) -> None:
    """Let the cookie be that of the archive's account, whose calls are not those of the simulator."""
    mark = fingerprint(credential.reveal(user.pk))
    AccountOfArchive.objects.create(archive_id=user.pk, confirmed=mark)


def collected(user: User, first: date | None = None, last: date | None = None, **options: Any) -> Result:
    """Take the lease and execute a run of an account's first archive at once."""
    return collected_by(user.pk, user.username, first, last, **options)


def collected_by(
    archive_id: int, actor: str, first: date | None = None, last: date | None = None, **options: Any
) -> Result:
    """Take the lease and execute a run of an archive at once."""
    span = run_start.span_of(archive_id, config.instance_settings(), first, last)
    run, token = run_start.take_run(archive_id, Run.Trigger.CLI, span)
    return collect(run, token, actor=actor, **options)


def contents(user: User) -> Contents:
    """The content of an account's first archive, with a check of its rollups."""
    return contents_of(user.pk)


def contents_of(archive_id: int) -> Contents:
    """The content of an archive, with a check of all rollups."""
    with connection.cursor() as cursor:
        assert [cursor.execute(query).fetchall() for query in ROLLUP_ERRORS] == [[]] * len(ROLLUP_ERRORS)
    rows = Record.objects.filter(archive_id=archive_id).values_list("request_id", "credits", "ts")
    return {request_id: (credits, ts) for request_id, credits, ts in rows}


def truth(simulator: Simulator, account: int = 0) -> Contents:
    """The content of a complete archive of a simulated account."""
    return {call.request_id: (call.amount, server_text(call, simulator.zone)) for call in simulator.rows(account)}


def server_text(call: SimulatedCall, zone: ZoneInfo) -> str:
    """The wall clock of a call in the server's zone."""
    local = call.time.replace(tzinfo=zone).astimezone(settings.SERVER_ZONE)
    return local.replace(tzinfo=None).isoformat(" ")


def call_at(moment: datetime, request_id: str, **fields: Any) -> SimulatedCall:
    """A handmade call at an aware moment."""
    values = {"prompt": "a question", **fields, "credits": Decimal(fields.get("credits", 1))}
    return SimulatedCall(
        request_id=request_id, time=moment.astimezone(ZoneInfo("Asia/Shanghai")).replace(tzinfo=None), **values
    )


def asked_for(upstream: Simulator) -> list[tuple[str, str]]:
    """The windows asked for, in the upstream's wall clock, each once."""
    return list(dict.fromkeys(every_window(upstream)))


def every_window(upstream: Simulator) -> list[tuple[str, str]]:
    return [(request.body["startTime"], request.body["endTime"]) for request in upstream.requests_seen if request.body]


def days_of(rows: Contents, first: str, last: str) -> Contents:
    return {key: row for key, row in rows.items() if first <= row[1][:10] <= last}


def week_of(upstream: Simulator) -> Contents:
    return days_of(truth(upstream), str(WEEK), "2026-09-07")


def pages(rows: Contents, size: int = 20) -> int:
    return -(-len(rows) // size)
