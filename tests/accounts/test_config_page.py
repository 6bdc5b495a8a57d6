"""GET /config and /config/instance, the pages of settings: docs/api.md#pages."""

import os
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet

from accounts import config
from accounts.config.form import setting_groups
from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib import clock
from tests.collection.scheduling import berlin
from tests.factories import ApiClient
from usage.export.kept_files import write_export
from usage.export.pieces import file_name

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
COOKIE = "session=marker-cookie|1790000000|9f2c"


def page_of(visitor: ApiClient, path: str = "/config") -> str:
    return str(visitor.get(path).content, "utf-8")


def test_anonymous_visitors_are_led_to_the_sign_in(anonymous: ApiClient) -> None:
    response = anonymous.get("/config")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/config")


def test_everybody_has_cookie_and_user_agent(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert 'name="cookie"' in page
    assert 'name="user_agent"' in page


def test_an_ordinary_user_sees_nothing_of_the_instance(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert not [name for name in config.INSTANCE_KEYS if f'name="{name}"' in page]
    assert "Instance settings" not in page
    assert api_of(alice).get("/config/instance").status_code == 403


def test_an_administrator_sees_every_key_of_the_instance_on_its_page(root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root), "/config/instance")
    assert [name for name in config.INSTANCE_KEYS if f'name="{name}"' not in page] == []


def test_every_key_of_the_instance_is_in_one_group() -> None:
    groups = setting_groups(config.instance_values())
    names = Counter(field.name for group in groups for field in group.fields)
    assert names == Counter(config.INSTANCE_KEYS)


def test_a_key_is_shown_with_its_value_default_range_and_purpose(root: User, api_of: ApiOf) -> None:
    Setting.objects.create(key="page_size", value="333", updated_at=clock.now())
    page = page_of(api_of(root), "/config/instance")
    assert 'name="page_size" value="333"' in page
    assert shown_of("page_size", page) == "Key page_size Accepted 20 to 1000 Default 200"
    assert str(config.KEYS["page_size"].about) in page


def shown_of(name: str, page: str) -> str:
    """The details of a key, as text."""
    (details,) = re.findall(rf"<dl>(?:(?!</dl>).)*>{name}<.*?</dl>", page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", details).split())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ssl_verify", "switch"), ("captcha_policy", "choice"), ("schedule_times", "times"), ("timeout", "number"),
        ("api_base", "text"),
    ],
)  # fmt: skip
def test_a_key_gets_the_control_that_fits(name: str, kind: str) -> None:
    fields = {field.name: field for group in setting_groups(config.instance_values()) for field in group.fields}
    assert fields[name].kind == kind


def test_a_choice_is_shown_in_words_and_keeps_its_values(root: User, api_of: ApiOf) -> None:
    Setting.objects.create(key="captcha_policy", value="on_failure", updated_at=clock.now())
    page = page_of(api_of(root), "/config/instance")
    assert '<option value="on_failure" selected>After a failed sign-in</option>' in page
    assert '<option value="always">Always</option>' in page
    assert shown_of("captcha_policy", page) == "Key captcha_policy Default Always"


def test_the_times_of_the_schedule_are_handed_to_the_script(root: User, api_of: ApiOf) -> None:
    Setting.objects.create(key="schedule_times", value="07:05,19:00", updated_at=clock.now())
    assert 'name="schedule_times" data-saved="07:05,19:00"' in page_of(api_of(root), "/config/instance")


def test_the_kept_exports_are_listed_for_their_owner_alone(alice: User, bob: User, api_of: ApiOf) -> None:
    path = write_export(alice, alice.pk)
    # A file has the time of the machine.
    at = (clock.local_text(datetime.fromtimestamp(path.stat().st_mtime, UTC)) or "")[:16]
    page = page_of(api_of(alice))
    part = page.split('<ul id="exports"')[1].split("</ul>")[0]
    assert [text for text in (f'href="/exports/{path.name}"', "bytes", at) if text not in part] == []
    assert "hidden" not in part.partition(">")[0]
    assert path.name not in page_of(api_of(bob))


def test_the_newest_export_is_the_first(alice: User, api_of: ApiOf) -> None:
    older = write_export(alice, alice.pk)
    newer = older.with_name(file_name("alice", berlin("2020-01-01 00:00")))
    newer.write_bytes(older.read_bytes())
    os.utime(older, (1_700_000_000, 1_700_000_000))
    page = page_of(api_of(alice))
    assert page.index(newer.name) < page.index(older.name)


def test_where_no_export_is_kept_there_is_no_list(alice: User, api_of: ApiOf) -> None:
    assert "hidden" in page_of(api_of(alice)).split('<ul id="exports"')[1].partition(">")[0]


def test_a_stored_cookie_is_shown_as_a_hint_only(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    page = page_of(api_of(alice))
    assert f"set, {len(COOKIE)} chars, ...9f2c" in page
    assert "marker" not in page


def test_no_cookie_is_reported(alice: User, api_of: ApiOf) -> None:
    assert 'data-state="none"' in page_of(api_of(alice))


def test_a_cookie_of_another_instance_key_is_to_be_pasted_again(alice: User, api_of: ApiOf) -> None:
    stored = Fernet(Fernet.generate_key()).encrypt(COOKIE.encode()).decode()
    Setting.objects.create(user_id=alice.pk, key="cookie", value=stored, updated_at=clock.now())
    assert "paste it again" in page_of(api_of(alice))


def test_the_user_agent_is_escaped(alice: User, api_of: ApiOf) -> None:
    agent = '"><script>alert(1)</script>'
    Setting.objects.create(user_id=alice.pk, key="user_agent", value=agent, updated_at=clock.now())
    assert "<script>alert" not in page_of(api_of(alice))


def test_the_page_shows_the_own_user_agent_only(alice: User, bob: User, api_of: ApiOf) -> None:
    Setting.objects.create(user_id=bob.pk, key="user_agent", value="Bobzilla/5.0", updated_at=clock.now())
    assert "Bobzilla" not in page_of(api_of(alice))


@pytest.mark.parametrize("path", ["/config", "/config/instance"])
def test_the_page_has_no_inline_style_or_handler(path: str, root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root), path)
    assert " style=" not in page
    assert " onclick=" not in page


def test_a_post_is_405(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post("/config").status_code == 405
