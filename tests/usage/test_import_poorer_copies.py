"""A poorer copy of a call never replaces a richer one, in the archive or in one file."""

from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from collection.api_types import ImportedFile
from collection.models import Run
from collection.transfer.import_run import Importer, import_file
from tests.usage.import_files import file_of
from usage.importing.file_format import Options
from usage.models import Prompt, Record

pytestmark = pytest.mark.django_db

HEADER = "request_id,credits,model,client,prompt,time,purpose\n"
RICH = 'r1,1.234567,Größe,ide,"一二三\n四五",2026-11-20 12:30:17,chat\n'


def imported(user: User, folder: Path, rows: str) -> ImportedFile:
    _, found = import_file(Importer(user, Run.Trigger.CLI, "test"), file_of(folder, HEADER + rows), Options({}))
    return found


def stored(user: User) -> list[Any]:
    [record] = Record.objects.filter(archive_id=user.pk)
    return [
        record.credits, record.model, record.client, str(record.ts), record.prompt_truncated, record.agent_purpose,
        *Prompt.objects.filter(record=record).values_list("text", flat=True),
    ]  # fmt: skip


def misread(row: str, encoding: str) -> str:
    """The row as a program wrote it that took UTF-8 for another encoding, whose gaps are control characters."""
    signs = (bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in row.encode())
    return "".join(signs)


POORER = [
    misread(RICH, "latin-1"),
    misread(RICH, "cp1252"),
    misread('r1,1.234567,Größe,ide,"一二三\n四五"', "cp1252")[:-2] + '",2026-11-20 12:30:17,chat\n',
    "r1,1.23,Größe,ide,,2026-11-20 12:30:17,chat\n",
    "r1,1.234567,Gr??e,ide,,2026-11-20 12:30:17,chat\n",
    'r1,1.23,Gr??e,ide,?????????,"Fri, 20 Nov 2026 12:30 +0100",chat\n',
    "r1,1.234567,Größe,ide,#NAME?#NAME?,2026-11-20 12:30,\n",
    "r1,1.23,#NOM?,#¿NOMBRE?,#ÜBERLAUF!,2026-11-20 12:30,#N/D\n",
    "r1,1.234567,Err:502,ide,Err:508,2026-11-20 12:30,\n",
    "r1,1.234567,Größe,ide,#VALUE!,2026-11-20 12:30,\n",
    "r1,1.234567,Größe,ide,#NAME?,2026-11-20 12:30,\n",
    "r1,1.234567,Größe,ide,?? ?? ?? ?? ?? ok,2026-11-20 12:30,\n",
    'r1,1.234567,Größe,ide,"一二三\r\n四五",2026-11-20 12:30,\n',
]


@pytest.mark.thorough_after(8)
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("row", POORER)
def test_a_poorer_copy_replaces_nothing_in_the_archive(alice: User, tmp_path: Path, row: str, times: int) -> None:
    imported(alice, tmp_path, RICH)
    before = stored(alice)
    found = imported(alice, tmp_path, row * times)
    assert (found.conflicting, found.prompts, stored(alice)) == (0, 0, before)


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("row", POORER)
def test_a_poorer_copy_replaces_nothing_in_its_file(alice: User, tmp_path: Path, row: str) -> None:
    assert imported(alice, tmp_path, RICH + row).conflicting == 0
    assert stored(alice)[:4] == [1_234_567, "Größe", "ide", "2026-11-20 12:30:17"]
    assert stored(alice)[-1] == "一二三\n四五"


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ("r1,1,m,c,summarise this,2026-11-20 12:30:17,chat\n", "another prompt of 10 characters"),
        ("r1,1,m,c,delete all,2026-11-20 12:30:17,agent\n", "purpose 'chat'"),
    ],
)
def test_rows_of_one_call_with_other_prompts_or_purposes_are_conflicting(
    alice: User, tmp_path: Path, other: str, named: str
) -> None:
    found = imported(alice, tmp_path, "r1,1,m,c,delete all,2026-11-20 12:30:17,chat\n" + other)
    [conflict] = found.examples.conflicting
    assert (found.conflicting, found.repeated) == (1, 0)
    assert conflict.differs == [f"row 2 has {named}", "row 3 wins"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_text_in_a_wrong_encoding_is_listed_and_replaces_no_excerpt(
    alice: User, tmp_path: Path, encoding: str
) -> None:
    imported(alice, tmp_path, RICH)
    Record.objects.update(prompt_truncated=True)
    found = imported(alice, tmp_path, misread(RICH, encoding))
    assert [(cell.row, cell.column) for cell in found.examples.damaged] == [(2, "prompt"), (2, "model")]
    assert (found.damaged, found.known, found.prompts, stored(alice)[-1]) == (2, 1, 0, "一二三\n四五")


def test_such_a_text_of_a_call_without_a_prompt_is_stored(alice: User, tmp_path: Path) -> None:
    imported(alice, tmp_path, "r1,1,glm,ide,,2026-11-20 12:30:17,\n")
    assert imported(alice, tmp_path, misread("r1,1,glm,ide,修复,2026-11-20 12:30:17,\n", "latin-1")).prompts == 1


@pytest.mark.parametrize("prompt", ["Größe", "¿Qué?", "naïve Ça", "Ã", "déjà – vu…", "Â£5 é!", "修复"])
def test_western_texts_are_whole(alice: User, tmp_path: Path, prompt: str) -> None:
    assert imported(alice, tmp_path, f"r1,1,glm,ide,{prompt},2026-11-20 12:30:17,\n").damaged == 0
