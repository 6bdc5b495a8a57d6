"""Commands on a store that cannot be used: an exit code, and one line instead of a traceback."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.archive_site.commands import is_one_line, manage
from tests.process_stores import environment

ON_A_STORE = pytest.mark.parametrize("command", [("up", "--bind", "127.0.0.1:1"), ("list_users",), ("config", "list")])


@pytest.mark.sqlite_only
@pytest.mark.thorough_after(1)
@ON_A_STORE
def test_a_store_that_is_none_is_one_line(made_home: Path, command: tuple[str, ...]) -> None:
    for name in ("archive.sqlite3-wal", "archive.sqlite3-shm"):
        (made_home / name).unlink(missing_ok=True)
    (made_home / "archive.sqlite3").write_text("rubbish, and more of it than a header has bytes " * 9)
    assert is_one_line(manage(*command, home=made_home), "The store cannot be used: file is not a database")


@pytest.mark.sqlite_only
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("make", "kind"),
    [(os.mkdir, "a directory"), (os.mkfifo, "a named pipe"), (lambda path: os.symlink(os.devnull, path), "a device")],
)
def test_what_is_no_file_is_named(made_home: Path, make: Callable[[Path], None], kind: str) -> None:
    store = made_home / "archive.sqlite3"
    store.unlink()
    make(store)
    said = f"The store cannot be used: {store} is {kind}, not a file: move it away\n"
    assert is_one_line(manage("list_users", home=made_home), said)


@pytest.mark.postgres_only
@ON_A_STORE
def test_a_server_that_does_not_answer_is_one_line(made_home: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    nowhere = f"postgres://archive@{quote(str(tmp_path), safe='')}/archive"
    assert is_one_line(manage(*command, home=made_home, DATABASE_URL=nowhere), "The store cannot be used: ")


@pytest.mark.thorough_after(1)
@pytest.mark.postgres_only
@pytest.mark.parametrize("option", ["pool=true", "isolation_level=none", "connect_timeout=soon", "nonsense=1"])
def test_an_option_that_is_none_is_one_line(made_home: Path, option: str) -> None:
    url = f"{environment(made_home)['DATABASE_URL']}?{option}"
    assert is_one_line(manage("list_users", home=made_home, DATABASE_URL=url), "The store cannot be used: ")
