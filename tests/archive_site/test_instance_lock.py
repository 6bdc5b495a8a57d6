"""Locks of the whole instance: files, or advisory locks of PostgreSQL.

The rules: docs/decisions/nodes.md#locks-of-the-instance.
"""

import psycopg
import pytest

from archive_site.lib.locks.instance_lock import Taken, held


def test_one_holder_keeps_others_out() -> None:
    with held("a.lock"), pytest.raises(Taken), held("a.lock"):
        pass
    with held("a.lock"):
        pass


@pytest.mark.postgres_only
def test_it_is_free_before_the_server_ends_the_connection_of_its_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[psycopg.Connection] = []
    with monkeypatch.context() as slow:
        slow.setattr(psycopg.Connection, "close", lambda own: kept.append(own))
        for _ in range(2):
            with held("a.lock"):
                pass
    assert len(kept) == 2
    for one in kept:
        one.close()


@pytest.mark.engine
def test_locks_of_other_names_are_others() -> None:
    with held("a.lock"), held("b.lock"):
        pass


@pytest.mark.engine
def test_it_is_shared_or_held_alone() -> None:
    with held("a.lock", shared=True), held("a.lock", shared=True), pytest.raises(Taken), held("a.lock"):
        pass
    with held("a.lock"), pytest.raises(Taken), held("a.lock", shared=True):
        pass


def test_a_failure_in_the_block_frees_it() -> None:
    with pytest.raises(RuntimeError), held("a.lock"):
        raise RuntimeError
    with held("a.lock"):
        pass
