"""What accounts, ticks and collections cost in the store of the environment: `account_costs` runs it for each engine.

    python -m tests.benchmarks.costs_in_process SERVER_PID

It prints one object of figures. Times are those of the processor, of this process and of PostgreSQL's (0: none).
"""

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from unittest import mock

import django

django.setup()

from django.db import connection  # noqa: E402 - Django is set up first
from django.utils import timezone  # noqa: E402

from accounts import config  # noqa: E402
from accounts.credentials import credential  # noqa: E402
from accounts.models import User  # noqa: E402
from archive_site.lib import clock  # noqa: E402
from archive_site.lib.storage.sql import fetch  # noqa: E402
from collection.models import Run  # noqa: E402
from collection.runs import lease  # noqa: E402
from collection.schedule import scheduler  # noqa: E402
from collection.sources.codebuddy.simulator.simulator import Simulator  # noqa: E402
from tests.benchmarks.processor_time import of_server  # noqa: E402
from tests.collection.collector_run import collected  # noqa: E402
from tests.factories import make_user  # noqa: E402
from usage.models import DayTotal  # noqa: E402
from usage.rollups import month_sums  # noqa: E402

ACCOUNTS = 500
DAYS, PER_DAY, PAGE = 28, 300, 200
RUNS = 50
# What a usual account has, and how many days of the schedule are played; the first ones fill the archive.
USUAL_PER_DAY, PLAYED, SETTLING = 50, 12, 5
Figures = dict[str, float]


def _serve(pipe: Connection) -> None:
    with Simulator(accounts=1, days=DAYS, per_day=PER_DAY, until=_end_of_yesterday()) as simulator:
        pipe.send((simulator.base_url, simulator.cookie()))
        pipe.recv()


def _end_of_yesterday() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(hours=12)


@contextmanager
def timed(server: int, into: Figures, name: str, per: float = 1.0) -> Iterator[None]:
    """Milliseconds of this process and of the server, and of the clock, for each of `per`."""
    before, of_clock, of_postgres = time.process_time(), time.perf_counter(), of_server(server)
    yield
    into[name] = (time.process_time() - before) * 1000 / per
    into[f"{name}, server"] = (of_server(server) - of_postgres) * 1000 / per
    into[f"{name}, clock"] = (time.perf_counter() - of_clock) * 1000 / per


def size() -> int:
    """Bytes of the store in use."""
    if connection.vendor == "sqlite":
        [(pages,)], [(free,)], [(bytes_of_page,)] = (
            fetch(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * bytes_of_page)
    return int(fetch("SELECT pg_database_size(current_database())")[0][0])


def accounts(server: int, figures: Figures) -> None:
    """Accounts with a cookie, and the tick over them: with a slot due, and without."""
    before = size()
    users = [make_user(f"cost-{number}") for number in range(ACCOUNTS)]
    for user in users:
        credential.store(user.pk, "session=" + "0" * 120)
    figures["bytes of an account"] = (size() - before) / ACCOUNTS
    assert not config.write({"schedule_times": "12:30"}, archive_id=0, may_edit_instance=True).errors
    noon = clock.day_start(clock.today() + timedelta(days=1)) + timedelta(hours=12, minutes=31)
    with mock.patch.object(timezone, "now", return_value=noon):
        with timed(server, figures, "tick with a slot due", ACCOUNTS):
            assert scheduler.queue_due_runs() >= ACCOUNTS
        with timed(server, figures, "tick with none due", ACCOUNTS):
            assert scheduler.queue_due_runs() == 0
    with timed(server, figures, "lease taken and released", RUNS):
        for user in users[:RUNS]:
            lease.release(lease.take(archive_id=user.pk) or "")
    DayTotal.objects.bulk_create(
        DayTotal(archive_id=user.pk, day=str(clock.today()), credits=0, calls=0, free=0, by_model="{}", by_hour="[]")
        for user in users
    )
    with timed(server, figures, "housekeeping of months", ACCOUNTS):
        month_sums.fill_all()
    DayTotal.objects.filter(archive_id__in=[user.pk for user in users]).delete()
    Run.objects.filter(status=Run.Status.QUEUED).delete()
    User.objects.filter(pk__in=[user.pk for user in users]).delete()


def collections(server: int, figures: Figures) -> None:
    """Pages of new records, the same again, and runs that find nothing."""
    ours, theirs = multiprocessing.Pipe()
    upstream = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    upstream.start()
    base_url, cookie = ours.recv()
    values = {"api_base": base_url, "page_size": str(PAGE), "verify_days": "0"}
    assert not config.write(values, archive_id=0, may_edit_instance=True).errors
    user = make_user("cost-of-collecting")
    credential.store(user.pk, cookie)
    first = clock.today() - timedelta(days=DAYS - 1)
    before = size()
    with timed(server, figures, "new record"):
        run = collected(user, first).run
    for name in ("new record", "new record, server", "new record, clock"):
        figures[name] /= run.added
    figures["bytes of a new record"] = (size() - before) / run.added
    figures["new records"] = run.added
    with timed(server, figures, "known record", run.added):
        assert collected(user, first).run.added == 0
    # The first run without dates reads all days once more.
    collected(user)
    before = size()
    with timed(server, figures, "run without news", RUNS):
        for _ in range(RUNS):
            collected(user)
    figures["bytes of a run"] = (size() - before) / RUNS
    upstream.kill()


def requests_of_a_day(figures: Figures) -> None:
    """The requests of a usual account with the settings as they are at first, slot by slot."""
    days = [clock.today() + timedelta(days=number) for number in range(PLAYED)]
    now = [clock.day_start(days[0])]
    end = clock.day_start(days[-1] + timedelta(days=1))
    with (
        mock.patch.object(timezone, "now", side_effect=lambda: now[0]),
        Simulator(days=PLAYED + 40, per_day=USUAL_PER_DAY, until=end, now=lambda: now[0]) as simulator,
    ):
        values = {"api_base": simulator.base_url, "page_size": "", "verify_days": "", "schedule_times": ""}
        assert not config.write(values, archive_id=0, may_edit_instance=True).errors
        user = make_user("cost-of-a-day")
        credential.store(user.pk, simulator.cookie())
        counted = []
        for day in days:
            before = simulator.request_count
            for text in config.instance_settings().schedule_times:
                hours, minutes = map(int, text.split(":"))
                now[0] = clock.day_start(day) + timedelta(hours=hours, minutes=minutes)
                collected(user)
            counted.append(simulator.request_count - before)
    later = counted[SETTLING:]
    figures["requests of the first day"] = counted[0]
    figures["requests of a day"] = sum(later) / len(later)


def main() -> None:
    server, figures = int(sys.argv[1]), Figures()
    accounts(server, figures)
    collections(server, figures)
    requests_of_a_day(figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
