"""POST /api/credential/test as tests ask for it, and the settings that it tries."""

from typing import Any

from accounts import config
from accounts.models import INSTANCE, User
from tests.factories import ApiClient

AGENT = "Mozilla/5.0 (X11; Linux x86_64) Test/1.0"


def set_agent(user: User, agent: str) -> None:
    config.write({"user_agent": agent}, archive_id=user.pk, may_edit_instance=False)


def point_at(url: str) -> None:
    assert not config.write({"api_base": url}, archive_id=INSTANCE, may_edit_instance=True).errors


def ask(api: ApiClient, **body: object) -> Any:
    return api.post("/api/credential/test", body)
