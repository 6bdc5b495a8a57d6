"""A damaged backup file is refused, or holds what it held (docs/decisions/backups.md#an-archive-is-not-trusted)."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backups.backup_manifest import KEY, STORE
from backups.restore import backup_reader
from backups.restore.backup_reader import InvalidArchive
from tests.backups.forged_backups import Forge

pytestmark = pytest.mark.django_db
# Where it is damaged, as a share of the length, and what stands there then.
DAMAGES = st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=4)


# The forged file is only read.
@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DAMAGES, st.floats(0, 1) | st.just(1.0), st.binary(max_size=30))
def test_a_damaged_archive_is_refused_or_whole(
    forge: Forge, damages: list[tuple[float, bytes]], kept: float, more: bytes
) -> None:
    whole = forge.right().read_bytes()
    content = bytearray(whole)
    for place, bytes_there in damages:
        start = int(place * (len(content) - len(bytes_there)))
        content[start : start + len(bytes_there)] = bytes_there
    with tempfile.TemporaryDirectory() as folder:
        path, into = Path(folder) / "damaged.zip", Path(folder) / "into"
        into.mkdir()
        path.write_bytes(bytes(content[: int(kept * len(content))]) + more)
        with suppress(InvalidArchive):
            backup_reader.unpack(path, into)
            assert (into / STORE).read_bytes() == forge.content
            assert (into / KEY).read_bytes()
