"""What commands write reaches a terminal as text: docs/running.md#commands."""

import io

import pytest

from backups.management.commands.backup import Command


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_terminal_obeys_nothing_that_a_command_writes(name: str) -> None:
    written = io.StringIO()
    getattr(Command(**{name: written}), name).write("a\tb\x1b[31m\x07\ud83d\nc\u202ed\u3000e")
    assert written.getvalue() == "a\tb\ufffd[31m\ufffd\ufffd\nc\ufffdd\u3000e\n"
