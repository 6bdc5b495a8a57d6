"""Runs and stops the web server and the queue's cluster (`manage.py up`): docs/decisions/instance.md#one-supervisor."""

import fcntl
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TextIO
from weakref import ref

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django_q.tasks import async_task

from archive_site.lib import clock
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage import store_version
from archive_site.serving import schedules, web_server, workers
from archive_site.serving.child_processes import Child, end_leftovers, remember, share_memory, wait_for_end
from collection import nodes, queue_rows
from collection.runs import import_progress, lease, run_start, runs

log = logging.getLogger(__name__)

# Seconds after the signal until children are killed, so that the whole stop takes less than ten seconds.
PATIENCE = 8.0
# The timeout for a locked store during a stop.
BUSY_MILLISECONDS = 700
SECONDS_BETWEEN_LOOKS = 10
# Seconds that workers must seem wedged: after a jump of the clock, or the sleep of the machine, their next sign of life
# comes within a minute.
_WEDGED_FOR = 60.0
_NO_SCHEDULES = "the schedules could not be recreated"


class FolderLock:
    """The lock of the one `up` that runs on a data folder; its file names the started process groups."""

    def __init__(self, path: Path):
        self.path = path

    def take(self) -> None:
        """Take the lock and kill what a killed `up` left. Raises ConfigurationError if another `up` holds it."""
        self._file = self.path.open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigurationError(f"Another 'manage.py up' already runs on {self.path.parent}") from None
        # A fork shares the lock, and would keep it after the end of this process.
        os.register_at_fork(after_in_child=partial(_close, ref(self._file)))
        ended = end_leftovers(self.path)
        if ended:
            log.warning("ended %s process groups left by an earlier start", ended)


def _close(file: "ref[TextIO]") -> None:
    opened = file()
    if opened:
        opened.close()


class Supervisor:
    """Runs the web server, if there is a socket for it, and the workers."""

    def __init__(self, listener: socket.socket | None, *, say: Callable[[str], None], worker: bool = True):
        self.listener = listener
        self.web = Child("web server", self._serve)
        self.cluster = Child("workers", self._work)
        self.children = [child for child, is_run in ((self.web, listener), (self.cluster, worker)) if is_run]
        self.say = say
        self.stopping = False
        self._looked_at = 0.0
        # Since when the schedules are in force.
        self._made_at = 0.0
        # Since when the workers seem wedged; None while they do not.
        self._seem_wedged_since: float | None = None

    def listen_to_signals(self) -> None:
        """Let SIGTERM, SIGHUP and Ctrl-C end `run`, even if they arrive before it starts."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)

    def run(self) -> None:
        """Serve until a signal; after it, or after any failure, end all children within ten seconds."""
        try:
            schedules.make()
            _load(worker=self.cluster in self.children)
            for child in self.children:
                child.start()
            self._remember()
            if self.cluster in self.children:
                _queue_tick()
            while not self.stopping:
                self._look_after_children()
                time.sleep(0.2)
        finally:
            self._stop_children()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _serve(self) -> None:
        assert self.listener
        web_server.run(self.listener)

    def _work(self) -> None:
        # A fork has the socket, too, and clients could connect to it when the web server has stopped.
        self._close_listener()
        workers.run()

    def _close_listener(self) -> None:
        if self.listener:
            self.listener.close()

    def _look_after_children(self) -> None:
        for child in self.children:
            if not child.is_running():
                self._restart(child, "died")
        if self.cluster in self.children and time.monotonic() - self._looked_at >= SECONDS_BETWEEN_LOOKS:
            self._looked_at = time.monotonic()
            self._look_at_store()

    def _look_at_store(self) -> None:
        """End, restart or schedule the workers anew where the store says that they would do nothing, or wrong."""
        try:
            close_old_connections()
            is_ahead, is_outdated, is_wedged = schedules.are_ahead(), store_version.is_newer(), self._are_wedged()
        except DatabaseError:
            log.warning("the store did not answer", exc_info=True)
            return
        if is_outdated:
            self._end_workers()
        elif is_ahead:
            log.warning("a clock that ran ahead was corrected; the schedules begin anew")
            _try_soon(_NO_SCHEDULES, schedules.make, self._note_schedules)
            _queue_tick()
        elif is_wedged:
            self._seem_wedged_since = None
            _try_soon(_NO_SCHEDULES, schedules.make)
            self._restart(self.cluster, "did nothing for minutes")

    def _restart(self, child: Child, why: str) -> None:
        child.kill()
        if child is self.web:
            left = "the files that it was receiving could not be removed; the housekeeping does"
            _try_soon(left, import_progress.remove_files_of_the_dead)
        wait = child.seconds_to_wait()
        log.warning("the %s %s; restarting in %.1f s", child.name, why, wait)
        self.say(f"The {child.name} {why}; restarting.")
        until = time.monotonic() + wait
        while time.monotonic() < until and not self.stopping:
            time.sleep(0.1)
        if not self.stopping:
            child.start()
            self._remember()

    def _note_schedules(self) -> None:
        self._made_at = time.monotonic()

    def _are_wedged(self) -> bool:
        """Whether the workers have seemed wedged for a while, by a clock that nobody sets."""
        if not self._seem_wedged():
            self._seem_wedged_since = None
            return False
        if self._seem_wedged_since is None:
            self._seem_wedged_since = time.monotonic()
        return time.monotonic() - self._seem_wedged_since >= _WEDGED_FOR

    def _seem_wedged(self) -> bool:
        begun = max(self.cluster.started_at, self._made_at)
        if time.monotonic() - begun < run_start.HEARTBEAT_SILENT_AFTER.total_seconds():
            return False
        since = clock.now() - run_start.HEARTBEAT_SILENT_AFTER
        # Missing results do not justify a restart that would interrupt a collection.
        return not (run_start.workers_are_alive() and nodes.works_here()) or not (
            queue_rows.keeps_results(schedules.TICK_TASK, since) or lease.is_held()
        )

    def _end_workers(self) -> None:
        """Leave collecting to the nodes of the newer version. Raises ConfigurationError if nothing else runs."""
        words = "The store is of a newer version now, so this node does not collect any more."
        log.warning(words)
        self._end([self.cluster])
        self.children.remove(self.cluster)
        if not self.children:
            raise ConfigurationError(words)
        self.say(words)

    def _remember(self) -> None:
        try:
            remember(settings.DATA_FOLDER.scheduler_lock, self.children)
        except OSError as error:
            # Without the data folder a new start fails, too.
            log.warning("the processes could not be noted: %s", error)

    def _stop_children(self) -> None:
        self.say("Stopping.")
        # Clients can connect until the web server has closed the socket as well.
        self._close_listener()
        self._end(self.children)

    def _end(self, children: list[Child]) -> None:
        unasked = "the request to stop running collections could not be stored"
        _try_soon(unasked, lambda: runs.request_stop(lease.runs_here()))
        for child in children:
            child.ask_to_stop()
        wait_for_end(children, PATIENCE)
        for child in children:
            child.kill()
        self._remember()
        _try_soon("the store takes no writes; the next start marks interrupted runs", lease.expire, nodes.leave)


def _load(*, worker: bool) -> None:
    """Load what the children run, so that they share it."""
    web_server.load()
    if worker:
        workers.load()
    share_memory()


def _queue_tick() -> None:
    """The queue's own comes within half a minute; this one gives pages a heartbeat sooner."""
    late = "the first tick could not be queued; the queue has one in half a minute"
    _try_soon(late, partial(async_task, schedules.TICK_TASK))


def _try_soon(failed: str, *writes: Callable[[], object]) -> None:
    """Write with a short timeout: a store that is locked for minutes must not keep the service from stopping."""
    try:
        if connection.vendor == "sqlite":
            connection.ensure_connection()
            connection.connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        else:
            # The server may have ended the connection since its last use.
            close_old_connections()
        for write in writes:
            write()
    except (DatabaseError, OSError):
        log.warning(failed, exc_info=True)
