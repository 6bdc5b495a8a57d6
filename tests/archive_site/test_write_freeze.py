"""The freeze: a restore holds the lock alone, writers share it (docs/decisions/backups.md#the-freeze)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.store_refusals import RETRY_AFTER
from archive_site.lib.locks import write_freeze
from archive_site.lib.locks.write_freeze import frozen, writing

Hold = Callable[[], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_freeze, "PATIENCE", 0.1)


def elsewhere(hold: Hold) -> ApiError | None:
    """The result of another thread that tries to hold the lock."""
    outcome: list[ApiError] = []

    def take() -> None:
        try:
            with hold():
                pass
        except ApiError as error:
            outcome.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return outcome[0] if outcome else None


@pytest.fixture
def writer() -> Iterator[threading.Event]:
    """Another thread that writes until the event is set."""
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with writing():
            begun.set()
            done.wait(60)

    thread = threading.Thread(target=write)
    thread.start()
    begun.wait(60)
    yield done
    done.set()
    thread.join()


def test_many_write_together() -> None:
    with writing():
        assert elsewhere(writing) is None


def test_nobody_writes_while_it_is_frozen() -> None:
    with frozen():
        error = elsewhere(writing)
    assert error
    assert (error.status, error.error, error.retry_after) == (503, "unavailable", RETRY_AFTER)
    assert elsewhere(writing) is None


def test_two_restores_do_not_freeze_at_once() -> None:
    with frozen():
        error = elsewhere(frozen)
    assert error
    assert (error.status, error.error) == (409, "busy")


@pytest.mark.usefixtures("writer")
def test_a_freeze_waits_for_who_writes_but_not_for_ever() -> None:
    with pytest.raises(ApiError) as refused, frozen():
        pass
    assert (refused.value.status, refused.value.error) == (409, "busy")
    assert elsewhere(writing) is None


def test_a_freeze_comes_when_the_last_one_has_written(writer: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_freeze, "PATIENCE", 20)
    threading.Timer(0.1, writer.set).start()
    with frozen():
        assert elsewhere(writing)


def test_writing_within_writing_is_the_same() -> None:
    with writing():
        with writing():
            pass
        assert elsewhere(frozen)
    assert elsewhere(frozen) is None


def test_who_writes_may_freeze_and_goes_on_writing_afterwards() -> None:
    with writing():
        with frozen():
            assert elsewhere(writing)
        assert elsewhere(writing) is None
        assert elsewhere(frozen)
    assert elsewhere(frozen) is None


@pytest.mark.usefixtures("writer")
def test_who_could_not_freeze_still_writes() -> None:
    with writing():
        with pytest.raises(ApiError), frozen():
            pass
        assert elsewhere(frozen)


def test_who_froze_may_write() -> None:
    with frozen(), writing():
        assert elsewhere(writing)


def test_a_failure_within_ends_it() -> None:
    for hold in (writing, frozen):
        with pytest.raises(ZeroDivisionError), hold():
            raise ZeroDivisionError
        assert elsewhere(frozen) is None
