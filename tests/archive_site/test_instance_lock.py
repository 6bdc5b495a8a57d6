"""Locks of the whole instance: files, or advisory locks of PostgreSQL (docs/decisions.md#locks-of-the-instance)."""

import pytest

from archive_site.lib.locks.instance_lock import Taken, held


def test_one_holder_keeps_others_out() -> None:
    with held("a.lock"), pytest.raises(Taken), held("a.lock"):
        pass
    with held("a.lock"):
        pass


def test_locks_of_other_names_are_others() -> None:
    with held("a.lock"), held("b.lock"):
        pass


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
