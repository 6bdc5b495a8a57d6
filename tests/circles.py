"""The circles of tests: `python -m tests.circles test|landing|all|steady`.

A test without a mark is in each circle. The marks `landing` and `thorough` leave it to a wider one, `thorough_after`
the later cases of its table; the mark `engine` repeats it on PostgreSQL, also if it is thorough
(docs/architecture.md#tests).
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

# The order and the examples of the tests that decide what lands.
SEED = 31
PROCESSES = 3
TESTS = Path(__file__).parent
# Marks that choose the circles of a test, and those that say something else of it.
CIRCLES = {"landing", "thorough", "engine"}
_OF_LIBRARIES = {"django_db", "filterwarnings", "hypothesis", "parametrize", "skipif", "usefixtures"}
TRAITS = {"file_counters", "own_context", "postgres_only", "sqlite_only", "thorough_after", "later"} | _OF_LIBRARIES


@dataclass(frozen=True)
class Part:
    """Tests that one run of pytest makes: those of an expression of marks, on one engine.

    Where it needs one of the marks `wanted`, it collects only the files in which one stands: all others take as long.
    """

    name: str
    marks: str = ""
    options: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    is_on_postgres: bool = False

    def command(self, seed: int, record: Path | None = None) -> list[str]:
        program = ["-m", "tests.postgres"] if self.is_on_postgres else ["-m", "pytest"]
        recording = ["--record", str(record)] if record else []
        seeds = [f"--randomly-seed={seed}", f"--hypothesis-seed={seed}"]
        chosen = ["-m", self.marks] if self.marks else []
        files = [str(path) for path in sorted(TESTS.rglob("test_*.py")) if _stands_in(path) & set(self.wanted)]
        return [sys.executable, *program, *recording, "-n", str(PROCESSES), *seeds, *chosen, *self.options, *files]


DEEP = ("--hypothesis-profile", "deep")
FAST = Part("fast tests", "not landing and not thorough")
SLOW = Part("pages in the browser, and slow tests", "landing and not thorough", wanted=("landing",))
ENGINE = Part(
    "tests that can differ by engine, on PostgreSQL and Redis",
    "(engine and not later) or (postgres_only and not thorough)",
    wanted=("engine", "postgres_only"),
    is_on_postgres=True,
)
ALL = Part("all tests on SQLite", options=DEEP)
ALL_ON_POSTGRES = Part("all tests on PostgreSQL and Redis", options=DEEP, is_on_postgres=True)


def fault(marks: set[str]) -> str | None:
    """Why no circle, or more than one, would run a test with these marks as it says; None where all is well."""
    if unknown := marks - CIRCLES - TRAITS:
        return f"no circle runs the mark {', '.join(sorted(unknown))}"
    if "postgres_only" in marks and marks & {"file_counters", "sqlite_only"}:
        return "it is for one engine alone and for the other: it is left out on both"
    if "engine" in marks and "later" not in marks and marks & {"file_counters", "sqlite_only"}:
        return "the tests marked engine run on PostgreSQL, where it is left out"
    return None


def mark_later_cases(items: list[pytest.Item]) -> None:
    """Mark `thorough` and `later` what follows the first cases of a table that is marked `thorough_after`."""
    seen: Counter[str] = Counter()
    for item in items:
        table = item.nodeid.partition("[")[0]
        if mark := item.get_closest_marker("thorough_after"):
            seen[table] += 1
            if seen[table] > mark.args[0]:
                item.add_marker("thorough")
                item.add_marker("later")


def check(items: list[pytest.Item]) -> None:
    """Raises UsageError, which fails the collection, where a test has marks that no circle runs."""
    faults = {item.nodeid: _fault_of(item) for item in items}
    if wrong := [f"{name}: {why}" for name, why in faults.items() if why]:
        raise pytest.UsageError("\n".join(wrong))


def _fault_of(item: pytest.Item) -> str | None:
    marks = {mark.name for mark in item.iter_markers()}
    narrow = {name for part in (SLOW, ENGINE) for name in part.wanted}
    if absent := (marks & narrow) - _stands_in(item.path):
        return f"no file is collected for the mark {', '.join(sorted(absent))}, which does not stand in it"
    return fault(marks)


@cache
def _stands_in(path: Path) -> set[str]:
    """The marks that stand in a file."""
    return set(re.findall(r"\bmark\.(\w+)", path.read_text(encoding="utf-8")))


def run(*parts: Part, seed: int) -> bool:
    """Run parts one after the other, all of them; say what each took. Return whether all passed."""
    return _summed_up([(f"{part.name} (seed {seed})", _run(part.command(seed))) for part in parts])


def run_all(seed: int) -> bool:
    """Run everything, and compare the statements on PostgreSQL with those of the tests marked `engine`."""
    with tempfile.TemporaryDirectory() as folder:
        engine, everything = Path(folder) / "engine.json", Path(folder) / "all.json"
        took = [(f"{ALL.name} (seed {seed})", _run(ALL.command(seed)))]
        # As `.ci/run` does.
        took.append((f"{ENGINE.name} (seed {SEED})", _run(ENGINE.command(SEED, engine))))
        took.append((f"{ALL_ON_POSTGRES.name} (seed {seed})", _run(ALL_ON_POSTGRES.command(seed, everything))))
        compare = [sys.executable, "-m", "tests.statements", str(engine), str(everything)]
        took.append(("statements and locks of both", _run(compare)))
    return _summed_up(took)


def steady(runs: int) -> bool:
    """Repeat what `.ci/run` tests, each time in another order and every second time beside two busy processes."""
    failed: Counter[str] = Counter()
    for number in range(runs):
        seed = _new_seed()
        with _busy(2 if number % 2 else 0):
            for part in (FAST, SLOW, ENGINE):
                failed.update(_failures(part, seed))
    for test, times in failed.most_common():
        print(f"failed {times} times: {test}")
    print(f"{runs} runs, {len(failed)} tests failed in any.")
    return not failed


def _new_seed() -> int:
    return random.SystemRandom().randrange(2**31)


def _run(command: Sequence[str]) -> tuple[bool, float]:
    """Whether a command succeeds, and the seconds that it takes."""
    begun = time.monotonic()
    done = subprocess.run(command)
    return done.returncode == 0, time.monotonic() - begun


def _summed_up(took: list[tuple[str, tuple[bool, float]]]) -> bool:
    for name, (is_passed, seconds) in took:
        print(f"{'passed' if is_passed else 'FAILED'} in {seconds:.0f} s: {name}")
    return all(is_passed for _, (is_passed, _) in took)


def _failures(part: Part, seed: int) -> list[str]:
    """The tests of a part that fail; the part itself where it fails without naming one. Says what it did."""
    begun = time.monotonic()
    done = subprocess.run([*part.command(seed), "-q"], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    failed = [line.split(" ", 1)[1].split(" - ")[0] for line in lines]
    if done.returncode and not failed:
        failed = [f"{part.name}: exit code {done.returncode}"]
    print(f"{time.monotonic() - begun:.0f} s, seed {seed}, {len(failed)} failed: {part.name}", flush=True)
    if failed:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return failed


@contextmanager
def _busy(number: int) -> Iterator[None]:
    """Keep as many processors busy meanwhile."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description="Run a circle of tests.")
    parser.add_argument("circle", choices=["test", "landing", "all", "steady"])
    parser.add_argument("--runs", type=int, default=10, help="how often steady repeats")
    parser.add_argument("--seed", type=int, help="that of an earlier run of all")
    chosen = parser.parse_args()
    if chosen.circle == "all":
        is_passed = run_all(_new_seed() if chosen.seed is None else chosen.seed)
    elif chosen.circle == "steady":
        is_passed = steady(chosen.runs)
    else:
        is_passed = run(*((FAST,) if chosen.circle == "test" else (SLOW, ENGINE)), seed=SEED)
    return 0 if is_passed else 1


if __name__ == "__main__":
    sys.exit(main())
