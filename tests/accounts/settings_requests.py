"""Shared by tests of /api/settings: values to send, and rows of settings."""

from accounts.models import INSTANCE, Setting
from archive_site.lib import clock

PATH = "/api/settings"
COOKIE = "session=marker-77ab|1790000000|0123abcd"
AGENT = "Mozilla/5.0 (marker agent)"


def put(key: str, value: str, user_id: int = INSTANCE) -> None:
    Setting.objects.create(user_id=user_id, key=key, value=value, updated_at=clock.now())


def slots() -> set[tuple[int, str]]:
    return set(Setting.objects.filter(key__startswith="slot:").values_list("user_id", "key"))
