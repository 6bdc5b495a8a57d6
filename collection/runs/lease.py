"""The leases, rows in the database: one collection at a time in the whole instance, or as many as it allows.

An account has at most one; work on the whole instance takes its lease while no other is held. A lease lasts a minute
and is renewed by a thread that ends with the work. A run that lost it writes nothing more, since each page's
transaction checks it first. A dead holder on this machine loses it at once, others when it expires, or with nodes a
minute later.
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psutil
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import engine, page_cache, store_version
from archive_site.lib.storage.sql import fetch
from archive_site.lib.stored_message import Message
from collection.models import Lease, Run
from collection.runs import runs

log = logging.getLogger(__name__)

NAME = "collection"
# The columns of a free lease.
FREE: dict[str, Any] = {"token": "", "holder": "", "account_id": None, "run_id": None, "expires_at": None}
BUSY = gettext_noop("A collection is already running. Wait until it ends.")
LASTS = timedelta(seconds=60)
RENEWED_EVERY = 15.0
# How long a queued run may wait for a worker.
WAITS_FOR_WORKER = timedelta(minutes=2)
# Clocks of nodes differ a little.
_AHEAD = timedelta(minutes=1)


class LeaseLost(Exception):
    """Nothing more may be written: another holder has the lease, or the store is of a newer version."""

    def __init__(self, message: Message | None = None):
        self.message = message or Message("run_taken_over")
        super().__init__(self.message)


def take(lasts: timedelta = LASTS, holder: str | None = None, *, archive_id: int | None = None) -> str | None:
    """Take a lease for the account of an archive, or for work that excludes every collection, and give its token.

    None while there is no room for it. Runs of dead holders become `interrupted`.
    """
    token, account_id = secrets.token_hex(16), _account_of(archive_id)
    with transaction.atomic():
        expire()
        held = _held()
        if not _has_room(held, account_id):
            return None
        name = next(name for name in _names() if name not in {one.name for one in held})
        taken = Lease.objects.filter(name=name, token="").update(
            token=token,
            holder=_myself() if holder is None else holder,
            account_id=account_id,
            expires_at=clock.now() + lasts,
        )
    return token if taken else None


def take_or_refuse(lasts: timedelta = LASTS, holder: str | None = None, *, archive_id: int | None = None) -> str:
    """Take a lease, as `take`, and give its token. Raises ApiError 409 `busy` while there is no room for it."""
    token = take(lasts, holder, archive_id=archive_id)
    if token is None:
        raise ApiError(409, "busy", gettext(BUSY))
    return token


def expire() -> None:
    """Free leases that expired or whose holder is dead, and interrupt the abandoned runs."""
    with transaction.atomic():
        for name in _names():
            Lease.objects.get_or_create(name=name)
        # All rows, so that others who take a lease wait.
        held = [lease for lease in Lease.objects.select_for_update().order_by("name") if lease.token]
        _shorten(held)
        dead = [lease for lease in held if _is_dead(lease)]
        working = [lease.run_id for lease in held if lease not in dead and lease.run_id]
        Lease.objects.filter(pk__in=[lease.pk for lease in dead]).update(**FREE)
        runs.interrupt_abandoned(working=working, never_taken=[lease.run_id for lease in dead if lease.run_id])


def _shorten(held: list[Lease]) -> None:
    """Let leases end soon that a clock which ran ahead has given until then; living holders renew theirs.

    That of the whole instance stays: a restore takes a long one, since it cannot renew it.
    """
    now = clock.now()
    for lease in held:
        if lease.account_id is not None and lease.expires_at and lease.expires_at > now + WAITS_FOR_WORKER + _AHEAD:
            lease.expires_at = now + WAITS_FOR_WORKER
            lease.save(update_fields=["expires_at"])


def is_held() -> bool:
    """Whether a collection, or work that excludes one, is running."""
    return bool(_held())


def has_room(archive_id: int | None = None) -> bool:
    """Whether a lease can be taken for the account of an archive, or for work that excludes every collection."""
    return _has_room(_held(), _account_of(archive_id))


def room() -> int:
    """How many collections can begin now."""
    held = _held()
    return 0 if any(lease.account_id is None for lease in held) else max(0, settings.COLLECTIONS_AT_ONCE - len(held))


def runs_here() -> list[int]:
    """The runs that processes of this node work on."""
    held = Lease.objects.filter(name__gte=NAME, holder__endswith=f" {settings.NODE}")
    return [run_id for run_id in held.values_list("run_id", flat=True) if run_id is not None]


def busy_accounts() -> set[int]:
    """The accounts that a lease is held for."""
    return {lease.account_id for lease in _held() if lease.account_id is not None}


def waiting_runs() -> QuerySet[Run]:
    """The scheduled runs that wait, but those of accounts with a run under way."""
    busy = busy_accounts()
    queued = Run.objects.filter(status=Run.Status.QUEUED, trigger__in=runs.BY_SCHEDULE)
    return queued.exclude(archive_id__in=busy).exclude(archive_id__in=archives.further_of_each(busy).values("pk"))


def startable() -> int:
    """How many of the waiting runs can begin now: one of each account, as many as there is room for."""
    ids, owners = set(waiting_runs().values_list("archive_id", flat=True)), archives.owners_of_further()
    return min(room(), len({owners.get(one, one) for one in ids}))


def is_awaited(run_id: int, kinds: Collection[str]) -> bool:
    """Whether a scheduled run waits for the place of this one: of those of these kinds that are under way, the one that
    has lasted longest makes room."""
    held = [one.run_id for one in _held() if one.run_id is not None]
    under_way = Run.objects.filter(pk__in=held, kind__in=kinds, status=Run.Status.RUNNING)
    longest = under_way.order_by("started_at", "pk").values_list("pk", flat=True).first()
    return run_id == longest and not room() and waiting_runs().exists()


def _held() -> list[Lease]:
    # By the key: also rows of others that may collect more at once.
    return [lease for lease in Lease.objects.filter(name__gte=NAME) if lease.token and not _is_dead(lease)]


def _account_of(archive_id: int | None) -> int | None:
    return None if archive_id is None else archives.owner_of(archive_id)


def _has_room(held: list[Lease], account_id: int | None) -> bool:
    if account_id is None:
        return not held
    others = {lease.account_id for lease in held}
    return None not in others and account_id not in others and len(held) < settings.COLLECTIONS_AT_ONCE


def _names() -> list[str]:
    return [NAME, *(f"{NAME}-{number}" for number in range(2, settings.COLLECTIONS_AT_ONCE + 1))]


def assign(token: str, run_id: int) -> None:
    """Note the run that the lease is held for."""
    Lease.objects.filter(token=token).update(run_id=run_id)


def adopt(run_id: int) -> str | None:
    """Take over, as the worker of a run, the lease that was taken for it; None if it was released meanwhile."""
    token = secrets.token_hex(16)
    # Only a lease without holder: a task delivered twice must not take it from the worker of the run.
    waiting = Lease.objects.filter(run_id=run_id, holder="", expires_at__gt=clock.now()).exclude(token="")
    adopted = waiting.update(token=token, holder=_myself(), expires_at=clock.now() + LASTS)
    return token if adopted else None


def require(token: str) -> None:
    """Raise LeaseLost unless the token still holds the lease of a store that is not of a newer version.

    Call it inside the transaction that writes.
    """
    # Not with the ORM: a run asks before it stores each page.
    if not fetch("SELECT 1 FROM collection_lease WHERE token = %s", [token]):
        raise LeaseLost
    if store_version.is_newer(is_in_use=True):
        raise LeaseLost(Message("store_is_newer"))


def renew(token: str) -> bool:
    return bool(Lease.objects.filter(token=token).update(expires_at=clock.now() + LASTS))


def release(token: str) -> None:
    Lease.objects.filter(token=token).update(**FREE)


def lock_of(run_id: int) -> None:
    """Lock the lease that is held for a run, in the caller's transaction."""
    list(Lease.objects.select_for_update().filter(run_id=run_id))


def release_run(run_id: int) -> None:
    """Free the lease if it is held for this run."""
    Lease.objects.filter(run_id=run_id).update(**FREE)


@contextmanager
def kept(token: str) -> Iterator[threading.Event]:
    """Renew the lease until the block ends, then release it; the event is set if it was lost.

    Meanwhile this thread's connection has a larger page cache, since what holds the lease writes much.
    """
    try:
        with renewed(token) as lost, page_cache.of_a_run():
            yield lost
    finally:
        release(token)


@contextmanager
def renewed(token: str) -> Iterator[threading.Event]:
    """Renew the lease until the block ends; the event is set if it was lost."""
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


def _still_ours(token: str) -> bool:
    try:
        return renew(token)
    except DatabaseError:
        # The lease outlasts three more tries; if it is lost nevertheless, the next page's transaction fails.
        log.warning("the lease could not be renewed", exc_info=True)
        return True


def _myself() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_age(psutil.Process())} {settings.NODE}"


def _age(process: psutil.Process) -> str:
    """When a process began, counted from the start of the machine, so that setting the clock does not change it."""
    return f"{process.create_time() - psutil.boot_time():.2f}"


def _is_dead(lease: Lease) -> bool:
    # Leases of earlier versions lack the node.
    host, pid, started, *_ = *lease.holder.split(" "), "", ""
    # The clock of another machine may be behind.
    behind = _AHEAD if engine.MAY_HAVE_SEVERAL_NODES and host not in ("", socket.gethostname()) else timedelta()
    if lease.expires_at is None or lease.expires_at + behind <= clock.now():
        return True
    if host != socket.gethostname() or not started:
        return False
    try:
        holder = psutil.Process(int(pid))
        return holder.status() == psutil.STATUS_ZOMBIE or _age(holder) != started
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False
