"""What the soaks of months inject: the time, a client that does not wait, and processes that die after any page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any
from unittest import mock

from django.utils import timezone

from collection.models import Lease, Run
from collection.runs import lease
from collection.sources.codebuddy import credential
from collection.sources.over_http import asking
from usage import ingest


class Death(BaseException):
    """A process is killed, without any cleanup."""


@contextmanager
def injected(now: Callable[[], datetime], dies: Callable[[], bool]) -> Iterator[None]:
    """Let the time be that of `now`; after each page the process dies when `dies` says so, with `Death`."""
    take_in, ask = ingest.take_in, credential.upstream_settings

    def take_in_or_die(*arguments: Any, **options: Any) -> Any:
        if dies():
            raise Death
        return take_in(*arguments, **options)

    with (
        mock.patch.object(timezone, "now", now),
        mock.patch.object(asking, "WAITS", (0.0,) * 4),
        mock.patch.object(credential, "upstream_settings", lambda *asked: replace(ask(*asked), timeout=1.5)),
        mock.patch.object(ingest, "take_in", take_in_or_die),
    ):
        yield


def leave_lease_of_dead_process(now: datetime) -> None:
    """The lease of the running run, as a process that was killed leaves it behind."""
    run = Run.objects.filter(status="running").get()
    Lease.objects.update(token="dead", holder="elsewhere 1 1.00", run_id=run.pk, expires_at=now - 2 * lease.LASTS)
