"""Failures of reading a ZIP file that its content causes, apart from those of the machine."""

import errno

import pytest

from archive_site.lib.storage import disk_space, untrusted_zip


class Refused(Exception):
    pass


@pytest.mark.parametrize("error", [EOFError(), OSError(errno.EINVAL, "Invalid argument")])
def test_what_the_content_causes_is_damage(error: Exception) -> None:
    with pytest.raises(Refused), untrusted_zip.damage_as(Refused()):
        raise error


def test_a_full_disk_stays_a_full_disk() -> None:
    with pytest.raises(OSError, match="no room") as failed, untrusted_zip.damage_as(Refused()):
        raise OSError(errno.ENOSPC, "no room")
    assert disk_space.is_full(failed.value)
