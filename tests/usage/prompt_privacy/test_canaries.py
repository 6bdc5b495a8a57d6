"""No byte of a prompt is left that the account does not keep, in any file of the service
(docs/security/threats.md#private-prompts)."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from tests import process_stores
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.landing
# What a prompt of a canary holds; the last two characters are those of a word.
CANARIES = ("canaryword", "Zwitschervogel", "金丝雀鸣")
FILL = """
import django
django.setup()
from accounts.models import User
from tests.usage.record_factories import archive, call
from usage.export.kept_files import write_export
alice = User.objects.get(username="alice")
for start in range(0, {number}, 500):
    archive(alice, *(
        call(f"r{{n}}", ts=f"2026-0{{n % 8 + 1}}-{{n % 27 + 1:02}} 10:00:00",
             prompt=f"Zwitschervogel{{n}}xq singt 金丝雀鸣叫 heute canaryword{{n}}")
        for n in range(start, min(start + 500, {number}))
    ))
write_export(alice, alice.pk, purpose=False, language="en")
"""
CONVERT = """
import django
django.setup()
from accounts.models import User
from backups import creation
from collection import maintenance_actions
from usage import prompt_conversion
from usage.prompt_privacy import policy
from usage.search import engine_index
alice = User.objects.get(username="alice")
policy.choose(alice.pk, "{mode}", 100)
policy.begin_again(alice.pk)
assert prompt_conversion.go_on(600)
engine_index.tidy_for(600)
maintenance_actions.vacuum(alice, alice.pk, {{}})
"""
FOUND = """
import django
django.setup()
from accounts.models import User
from usage import search
from usage.filters import RecordFilters
from usage.prompt_privacy import policy
from usage.search import plan
alice = User.objects.get(username="alice")
text = policy.searched(alice.pk, "CANARYWORD7 singt")
print(len(plan.page(alice.pk, RecordFilters(text=text), "ts_desc", 0, 50)))
"""


def run(instance: Instance, script: str) -> str:
    process = instance.start_python(script)
    out, error = process.communicate(timeout=900)
    assert process.returncode == 0, error
    return out


def holding(folder: Path, texts: Sequence[str] = CANARIES) -> list[str]:
    """The files of a folder that hold one of these texts, in UTF-8 or UTF-16, also compressed."""
    wanted = [text.encode(code) for text in texts for code in ("utf-8", "utf-16-le")]
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [
        str(path.relative_to(folder)) for path in files if any(one in part for part in _parts(path) for one in wanted)
    ]


def _parts(path: Path) -> Iterator[bytes]:
    yield path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archived:
            yield from (archived.read(name) for name in archived.namelist())


def database_holding(home: Path, texts: Sequence[str] = CANARIES) -> list[str]:
    """The same of the files of a database of PostgreSQL, rewritten without what was deleted."""
    url = process_stores.environment(home)["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        connection.execute("CHECKPOINT")
        place = "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database WHERE datname = %s"
        [folder] = connection.execute(place, [connection.info.dbname]).fetchone() or [""]
    return holding(Path(folder), texts)


def analysed_database_holding(home: Path) -> list[str]:
    """The same once the server has looked at all of its tables, as autovacuum lets it."""
    with psycopg.connect(process_stores.environment(home)["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("ANALYZE")
    return database_holding(home)


@pytest.mark.parametrize("number", [1_000, pytest.param(100_000, marks=[pytest.mark.thorough, pytest.mark.later])])
@pytest.mark.parametrize("mode", ["hash", pytest.param("nothing", marks=[pytest.mark.thorough, pytest.mark.later])])
def test_no_byte_of_a_canary_is_left(made_once: Path, tmp_path: Path, mode: str, number: int) -> None:
    with Instance.copied(made_once, tmp_path / "home") as instance:
        is_postgres = "DATABASE_URL" in process_stores.environment(instance.home)
        run(instance, FILL.format(number=number))
        assert any(path.startswith("exports/") for path in holding(instance.home))
        assert not is_postgres or analysed_database_holding(instance.home)
        run(instance, CONVERT.format(mode=mode))
        assert instance.run("backup", "create").returncode == 0
        # Another process, as after a restart.
        assert int(run(instance, FOUND)) == (1 if mode == "hash" else 0)
        assert holding(instance.home) == []
        assert list((instance.home / "backups").glob("*.zip"))
        assert not is_postgres or database_holding(instance.home) == []
