"""Records that are read by their ids: looked up one by one, and never those of another account."""

from collections.abc import Callable, Sized

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, call, plans_of
from usage import stored_calls
from usage.change_log import reads, writes
from usage.export import parquet_file, record_lines
from usage.models import Record, RemovedRecord

Read = Callable[[int, list[int]], Sized]
READS: list[Read] = [
    parquet_file._values,
    record_lines._lines,
    reads._found,
    lambda user_id, ids: list(stored_calls.with_keys(user_id, ids)),
]
pytestmark = pytest.mark.django_db


@pytest.fixture
def ids(alice: User, bob: User) -> list[int]:
    """Those of both accounts; alice has 150."""
    archive(alice, *(call(f"r{number}") for number in range(150)))
    archive(bob, *(call(f"r{number}") for number in range(50)))
    return sorted(Record.objects.values_list("pk", flat=True))


@pytest.mark.sqlite_only
@pytest.mark.parametrize("read", READS)
def test_each_record_is_looked_up_by_its_id(read: Read, ids: list[int], alice: User) -> None:
    # The more ids there are, the sooner the database walks all records of the account.
    [plan] = plans_of(lambda: read(alice.pk, ids))
    assert "USING INTEGER PRIMARY KEY (rowid=?)" in plan.partition(";")[0]


@pytest.mark.engine
@pytest.mark.parametrize("read", READS)
def test_the_records_of_others_are_left_out(read: Read, ids: list[int], alice: User, bob: User) -> None:
    assert [len(read(user.pk, ids)) for user in (alice, bob)] == [150, 50]


def test_only_own_records_are_noted_as_removed(ids: list[int], bob: User) -> None:
    writes.note_removed(bob.pk, ids)
    assert RemovedRecord.objects.filter(archive_id=bob.pk).count() == RemovedRecord.objects.count() == 50
