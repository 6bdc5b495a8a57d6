"""The CPUs of a process that stays on one, in a process of its own, since threads of the tests share theirs."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system binds no thread to a CPU")
SCRIPT = """
import os
from archive_site.lib import cpus

def used():
    return len(os.sched_getaffinity(0))

def fail():
    with cpus.use_all():
        raise ZeroDivisionError

found = [used()]
with cpus.use_all():
    found.append(used())
cpus.stay_on_one()
found.append(used())
with cpus.use_all():
    found.append(used())
found.append(used())
try:
    fail()
except ZeroDivisionError:
    found.append(used())
print(*found)
"""


def test_a_thread_stays_on_one_cpu_except_for_long_work() -> None:
    said = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    all_of_them = str(len(os.sched_getaffinity(0)))
    assert said.split() == [all_of_them, all_of_them, "1", all_of_them, "1", "1"]
