"""The lease, a row in the database: only one collection runs at a time in the whole instance.

It lasts a minute and is renewed by a thread that ends with the work. A run that lost it writes nothing more, since each
page's transaction checks it first. A dead holder on this machine loses it at once, others when it expires.
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psutil
from django.db import DatabaseError, connection, transaction
from django.utils.translation import gettext, gettext_noop

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from collection import runs
from collection.models import Lease

log = logging.getLogger(__name__)

NAME = "collection"
# The columns of a free lease.
FREE: dict[str, Any] = {"token": "", "holder": "", "run_id": None, "expires_at": None}
BUSY = gettext_noop("A collection is already running. Wait until it ends.")
LASTS = timedelta(seconds=60)
RENEWED_EVERY = 15.0
# How long a queued run may wait for a worker.
WAITS_FOR_WORKER = timedelta(minutes=2)


class LeaseLost(Exception):
    """Another holder has the lease: nothing more may be written."""


def take(lasts: timedelta = LASTS, holder: str | None = None) -> str | None:
    """Take the lease and give its token; None while it is held. Runs of dead holders become `interrupted`."""
    token = secrets.token_hex(16)
    with transaction.atomic():
        expire()
        free = Lease.objects.filter(name=NAME, token="")
        taken = free.update(token=token, holder=_myself() if holder is None else holder, expires_at=clock.now() + lasts)
    return token if taken else None


def take_or_refuse(lasts: timedelta = LASTS, holder: str | None = None) -> str:
    """Take the lease and give its token. Raises ApiError 409 `busy` while it is held."""
    token = take(lasts, holder)
    if token is None:
        raise ApiError(409, "busy", gettext(BUSY))
    return token


def expire() -> None:
    """Free a lease that expired or whose holder is dead, and interrupt the abandoned runs."""
    with transaction.atomic():
        Lease.objects.get_or_create(name=NAME)
        lease = Lease.objects.select_for_update().get(name=NAME)
        if lease.token and not _is_dead(lease):
            runs.interrupt_abandoned(working=lease.run_id)
            return
        if lease.token:
            Lease.objects.filter(name=NAME).update(**FREE)
        runs.interrupt_abandoned(never_taken=lease.run_id)


def is_held() -> bool:
    """Whether a collection, or work that excludes one, is running."""
    lease = Lease.objects.filter(name=NAME).exclude(token="").first()
    return lease is not None and not _is_dead(lease)


def assign(token: str, run_id: int) -> None:
    """Note the run that the lease is held for."""
    Lease.objects.filter(name=NAME, token=token).update(run_id=run_id)


def adopt(run_id: int) -> str | None:
    """Take over, as the worker of a run, the lease that was taken for it; None if it was released meanwhile."""
    token = secrets.token_hex(16)
    # Only a lease without holder: a task delivered twice must not take it from the worker of the run.
    waiting = Lease.objects.filter(name=NAME, run_id=run_id, holder="", expires_at__gt=clock.now()).exclude(token="")
    adopted = waiting.update(token=token, holder=_myself(), expires_at=clock.now() + LASTS)
    return token if adopted else None


def require(token: str) -> None:
    """Raise LeaseLost unless the token still holds the lease. Call it inside the transaction that writes."""
    if not Lease.objects.filter(name=NAME, token=token).exists():
        raise LeaseLost


def renew(token: str) -> bool:
    return bool(Lease.objects.filter(name=NAME, token=token).update(expires_at=clock.now() + LASTS))


def release(token: str) -> None:
    Lease.objects.filter(name=NAME, token=token).update(**FREE)


def release_run(run_id: int) -> None:
    """Free the lease if it is held for this run."""
    Lease.objects.filter(name=NAME, run_id=run_id).update(**FREE)


@contextmanager
def kept(token: str) -> Iterator[threading.Event]:
    """Renew the lease until the block ends, then release it; the event is set if it was lost."""
    lost, done = threading.Event(), threading.Event()

    def keep() -> None:
        try:
            while not done.wait(RENEWED_EVERY):
                if not _still_ours(token):
                    lost.set()
                    return
        finally:
            connection.close()

    keeper = threading.Thread(target=keep, name="lease", daemon=True)
    keeper.start()
    try:
        yield lost
    finally:
        done.set()
        keeper.join()
        release(token)


def _still_ours(token: str) -> bool:
    try:
        return renew(token)
    except DatabaseError:
        # The lease outlasts three more tries; if it is lost nevertheless, the next page's transaction fails.
        log.warning("the lease could not be renewed", exc_info=True)
        return True


def _myself() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_age(psutil.Process())}"


def _age(process: psutil.Process) -> str:
    """When a process began, counted from the start of the machine, so that setting the clock does not change it."""
    return f"{process.create_time() - psutil.boot_time():.2f}"


def _is_dead(lease: Lease) -> bool:
    if lease.expires_at is None or lease.expires_at <= clock.now():
        return True
    host, _, process = lease.holder.partition(" ")
    if host != socket.gethostname() or not process:
        return False
    pid, _, started = process.partition(" ")
    try:
        holder = psutil.Process(int(pid))
        return holder.status() == psutil.STATUS_ZOMBIE or _age(holder) != started
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False
