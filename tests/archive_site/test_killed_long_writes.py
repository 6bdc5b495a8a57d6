"""Long writes whose process is killed between two parts: the housekeeping finishes them, and nothing is half there."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.collection.running_instance import Instance

pytestmark = [pytest.mark.thorough, pytest.mark.engine]

# A child process that dies after a number of parts; then what is left, before and after the housekeeping.
KILLED = """
import django
django.setup()
import json
import os
import signal
from contextlib import contextmanager
from accounts.models import Erasure, Setting, User
from accounts.actor import Actor
from archive_site import tasks
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive
from archive_site.lib.storage import deletion
from archive_site.lib.storage.write_parts import Parts
from django.db import connection
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage import adoption, erasure
from usage.models import ROLLUPS, Prompt, Record
from usage.rollups.recompute import recount
deletion.ROWS = adoption.ROWS = erasure.ROWS = 2
erasure.ROWS_OF_SUMS = 1
leaver, heir = make_user("leaver"), make_user("heir")
calls = [call(f"r{{n}}", prompt="a prompt", ts=f"2026-09-0{{1 + n % 3}} 10:00:00") for n in range(7)]
archive(leaver, *calls)
archive(heir, *calls[:2])
if {adopts}:
    delete_account(leaver.pk, keep_data=True, actor=Actor("test", None))
connection.close()
part = Parts.part
done = 0
@contextmanager
def deadly(self, amount=None):
    global done
    with part(self, amount):
        yield
    done += 1
    if done == {parts}:
        os.kill(os.getpid(), signal.SIGKILL)
child = os.fork()
if child == 0:
    Parts.part = deadly
    if {adopts}:
        adopt_archive(leaver.pk, heir)
    else:
        delete_account(leaver.pk, keep_data=False, actor=Actor("test", None))
    os._exit(0)
died = os.waitpid(child, 0)[1] == signal.SIGKILL
def left():
    of_both = [Record.objects.filter(archive_id=user.pk).count() for user in (leaver, heir)]
    return [*of_both, Prompt.objects.count(), recount(heir.pk).repaired]
between = left()
make_user("leaver") if not User.objects.filter(username="leaver").exists() else None
tasks.housekeeping()
sums = sum(rollup.objects.filter(archive_id=leaver.pk).count() for rollup in ROLLUPS)
notes = Erasure.objects.count() + Setting.objects.filter(user_id=leaver.pk).count()
print(json.dumps([died, between, left(), sums, notes]))
"""


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("parts", [1, 4, 30])
def test_a_deletion_is_finished(parts: int, made_home: Path) -> None:
    died, between, after, sums, notes = _killed(made_home, adopts=False, parts=parts)
    assert died
    assert between[1:] == [2, between[0] + 2, 0]
    assert (after, sums, notes) == ([0, 2, 2, 0], 0, 0)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("parts", [1, 3, 10])
def test_an_adoption_is_finished(parts: int, made_home: Path) -> None:
    died, between, after, sums, notes = _killed(made_home, adopts=True, parts=parts)
    assert died
    assert between[1] >= 2
    assert between[2:] == [between[0] + between[1], 0]
    assert (after, sums, notes) == ([0, 7, 7, 0], 0, 0)


def _killed(home: Path, *, adopts: bool, parts: int) -> list[Any]:
    with Instance(home) as instance:
        return list(json.loads(instance.python(KILLED.format(adopts=adopts, parts=parts)).splitlines()[-1]))
