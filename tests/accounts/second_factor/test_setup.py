"""Setting a second factor up, changing and removing it, and its reset (docs/api.md#second-factor)."""

import base64
import io
from typing import Any

import pytest
from PIL import Image

from accounts import user_changes
from accounts.actor import Actor
from accounts.delivery import addresses
from accounts.delivery.addresses import StoredAddress
from accounts.models import Delivery, Notice, RecoveryCode, SecondFactor, User
from archive_site.lib import stored_message
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, instance, page
from tests.accounts.second_factor.factors_of import code_of, give, half_in, is_in, sign_in, with_codes
from tests.accounts.webhooks.hooks import make_webhook
from tests.archive_site.commands import manage_here
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
POSTS = [
    "codes", "codes/confirm", "codes/remove", "recovery", "passkeys", "passkeys/options", "passkeys/alone",
    "passkeys/7/remove",
]  # fmt: skip


@pytest.fixture
def visitor(alice: User) -> ApiClient:
    """Alice, who has just signed in."""
    visitor = ApiClient()
    sign_in(visitor, "alice")
    return visitor


def notices_of(user: User) -> list[str]:
    return [stored_message.text_of(one.stored_begin) for one in Notice.objects.filter(user_id=user.pk).order_by("pk")]


def state(visitor: ApiClient) -> dict[str, Any]:
    answer: dict[str, Any] = visitor.get("/api/second-factor").json()
    return answer


@pytest.mark.engine
def test_codes_are_in_force_once_one_of_them_was_given(visitor: ApiClient, alice: User) -> None:
    assert state(visitor) == {
        "codes": False, "codes_broken": False, "passkeys": [], "passkeys_alone": False, "passkeys_available": False,
        "recovery_left": 0, "required": False,
    }  # fmt: skip
    begun = visitor.post("/api/second-factor/codes").json()
    assert set(begun) == {"secret", "uri", "picture"}
    kind, _, data = begun["picture"].partition(",")
    assert kind == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).width > 100
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"
    assert visitor.post("/api/second-factor/codes/confirm", {"code": "000000"}).status_code == 400
    assert state(visitor)["codes"] is False
    answer = visitor.post("/api/second-factor/codes/confirm", {"code": code_of(begun["secret"])}).json()
    assert len(set(answer["recovery"])) == state(visitor)["recovery_left"] == 10
    assert state(visitor)["codes"] is True
    assert notices_of(alice) == ["The second factor of your account was changed: codes of an authenticator app set up."]
    assert Entry.objects.get(action="second_factor").user_id == alice.pk


@pytest.mark.engine
def test_the_present_codes_stay_until_the_new_ones_are_confirmed(alice: User, time: SetClock) -> None:
    old, _ = with_codes(alice)
    visitor = half_in(alice)
    give(visitor, code_of(old))
    new = visitor.post("/api/second-factor/codes").json()["secret"]
    time.pass_by(minutes=1)
    assert give(half_in(alice), code_of(new)).status_code == 400
    assert give(half_in(alice), code_of(old)).status_code == 302
    assert visitor.post("/api/second-factor/codes/confirm", {"code": code_of(new)}).status_code == 200
    time.pass_by(minutes=1)
    assert give(half_in(alice), code_of(old)).status_code == 400
    assert give(half_in(alice), code_of(new)).status_code == 302


@pytest.mark.engine
def test_removing_the_codes_removes_the_recovery_codes(alice: User) -> None:
    secret, _ = with_codes(alice)
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    assert visitor.post("/api/second-factor/codes/remove").status_code == 200
    assert not RecoveryCode.objects.exists()
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"
    assert visitor.post("/api/second-factor/codes/remove").status_code == 400


def test_new_recovery_codes_replace_the_others(alice: User) -> None:
    secret, old = with_codes(alice)
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    new = visitor.post("/api/second-factor/recovery").json()["recovery"]
    assert not set(new) & set(old)
    assert give(half_in(alice), old[0]).status_code == 400
    assert give(half_in(alice), new[0]).status_code == 302


def test_without_a_factor_there_are_no_recovery_codes(visitor: ApiClient) -> None:
    assert visitor.post("/api/second-factor/recovery").status_code == 400
    assert not RecoveryCode.objects.exists()


@pytest.mark.parametrize("path", POSTS)
def test_each_change_needs_a_password_that_was_given_lately(path: str, visitor: ApiClient, time: SetClock) -> None:
    time.pass_by(minutes=11)
    answer = visitor.post(f"/api/second-factor/{path}")
    assert (answer.status_code, answer.json()["error"]) == (403, "reauthenticate")
    assert not SecondFactor.objects.exists()
    visitor.post("/api/reauthenticate", {"password": PASSWORD})
    assert visitor.post("/api/second-factor/codes").status_code == 200


@pytest.mark.parametrize("path", ["", *(f"/{one}" for one in POSTS)])
def test_no_token_and_no_visitor_may_use_it(path: str, visitor: ApiClient) -> None:
    token = visitor.post("/api/tokens", {"name": "program", "scopes": ["read", "collect", "export"]}).json()["token"]
    ask = ApiClient().client.get if not path else ApiClient().client.post
    answer = ask(f"/api/second-factor{path}", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
    assert (ApiClient().get if not path else ApiClient().post)(f"/api/second-factor{path}").status_code == 401


# Reset.


@pytest.mark.engine
def test_an_administrator_resets_it_and_the_owner_gets_a_notice(alice: User, root: User, api_of: ApiOf) -> None:
    with_codes(alice)
    answer = api_of(root).entered().post(f"/api/users/{alice.pk}/second-factor/reset")
    assert answer.status_code == 200, answer.content
    assert not SecondFactor.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"
    assert "An administrator has removed the second factor of your account." in notices_of(alice)[-1]
    entry = Entry.objects.filter(action="second_factor").latest("pk")
    assert (entry.user_id, entry.detail) == (root.pk, "second factor of alice removed")
    assert api_of(root).entered().post(f"/api/users/{alice.pk}/second-factor/reset").status_code == 400


@pytest.mark.engine
def test_a_reset_ends_the_sessions_of_the_account(alice: User, root: User, visitor: ApiClient, api_of: ApiOf) -> None:
    """Whoever has found the device may be signed in with it."""
    secret, _ = with_codes(alice)
    found = half_in(alice)
    assert give(found, code_of(secret)).status_code == 302
    assert api_of(root).entered().post(f"/api/users/{alice.pk}/second-factor/reset").status_code == 200
    assert not is_in(found)
    assert not is_in(visitor)


def test_a_change_is_listed_also_where_no_notice_of_it_is_sent(alice: User, root: User, api_of: ApiOf) -> None:
    """A stolen session may switch the notices off."""
    with_codes(alice)
    addresses.replace(alice.pk, [StoredAddress("json://host", "json://…")])
    assert api_of(alice).post("/api/notices", {"events": {"second_factor": False}}).status_code == 200
    Delivery.objects.all().delete()
    api_of(root).entered().post(f"/api/users/{alice.pk}/second-factor/reset")
    assert "An administrator has removed the second factor of your account." in notices_of(alice)[-1]
    assert not Delivery.objects.exists()


def test_an_administrator_with_a_factor_gives_it_first(alice: User, root: User, api_of: ApiOf) -> None:
    """Else the password of an administrator alone would open every account."""
    with_codes(alice)
    with_codes(root)
    refused = api_of(root).entered().post(f"/api/users/{alice.pk}/second-factor/reset")
    assert (refused.status_code, refused.json()["error"], refused.json()["second_factor"]) == (
        403,
        "reauthenticate",
        True,
    )
    assert SecondFactor.objects.filter(user_id=alice.pk).exists()


def test_nobody_else_resets_it(alice: User, bob: User, api_of: ApiOf, root: User) -> None:
    with_codes(alice)
    assert api_of(bob).post(f"/api/users/{alice.pk}/second-factor/reset").status_code == 403
    assert api_of(root).entered().post("/api/users/987654/second-factor/reset").status_code == 404
    assert SecondFactor.objects.exists()


def test_the_operator_resets_it_on_the_command_line(alice: User) -> None:
    with_codes(alice)
    done = manage_here("reset_second_factor", "ALICE")
    assert (done.returncode, done.stdout) == (0, "alice signs in with the password alone.\n")
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"
    failed = manage_here("reset_second_factor", "alice")
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)


# What the instance requires.


@pytest.mark.parametrize(("required", "who"), [("admins", "root"), ("everybody", "alice"), ("everybody", "root")])
def test_who_lacks_a_required_one_opens_nothing_but_its_setup(
    required: str, who: str, alice: User, root: User, api_of: ApiOf
) -> None:
    before = ApiClient()
    sign_in(before, who)
    assert api_of(root).post("/api/settings", {"require_second_factor": required}).status_code == 200
    after = ApiClient()
    sign_in(after, who)
    for visitor in (before, after):
        assert visitor.get("/records").headers["Location"] == "/profile#factor"
        refused = visitor.get("/api/records")
        assert (refused.status_code, refused.json()["error"]) == (403, "second_factor_required")
        assert "requires one of your account" in page(visitor.get("/profile"))
        assert state(visitor)["required"] is True
    secret = after.post("/api/second-factor/codes").json()["secret"]
    assert after.post("/api/second-factor/codes/confirm", {"code": code_of(secret)}).status_code == 200
    assert after.get("/api/records").status_code == 200
    # It was opened without a factor, perhaps by somebody else.
    assert not is_in(before)


@pytest.mark.engine
def test_sessions_without_a_factor_end_with_the_first_one_that_is_set_up(
    visitor: ApiClient, alice: User, time: SetClock
) -> None:
    elsewhere = ApiClient()
    sign_in(elsewhere, "alice")
    secret = visitor.post("/api/second-factor/codes").json()["secret"]
    assert visitor.post("/api/second-factor/codes/confirm", {"code": code_of(secret)}).status_code == 200
    assert (is_in(visitor), is_in(elsewhere)) == (True, False)
    assert Entry.objects.get(action="logout").detail == "other sessions ended: 1"
    # Whoever has given a factor stays while others are added.
    time.pass_by(minutes=1)
    phone = half_in(alice)
    give(phone, code_of(secret))
    new = visitor.post("/api/second-factor/codes").json()["secret"]
    assert visitor.post("/api/second-factor/codes/confirm", {"code": code_of(new)}).status_code == 200
    assert (is_in(visitor), is_in(phone)) == (True, True)


@pytest.mark.engine
def test_the_last_factor_that_is_required_stays(alice: User) -> None:
    secret, _ = with_codes(alice)
    instance(require_second_factor="everybody")
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    answer = visitor.post("/api/second-factor/codes/remove")
    assert (answer.status_code, "requires a second factor" in answer.json()["message"]) == (400, True)
    assert state(visitor)["codes"] is True


def test_an_account_that_needs_no_second_factor_is_as_before(alice: User, root: User, api_of: ApiOf) -> None:
    api_of(root).post("/api/settings", {"require_second_factor": "admins"})
    assert api_of(alice).get("/api/records").status_code == 200
    api_of(root).post("/api/settings", {"require_second_factor": "x"})


def test_who_becomes_an_administrator_needs_it_from_the_next_sign_in_on(alice: User, root: User) -> None:
    instance(require_second_factor="admins")
    User.objects.filter(pk=alice.pk).update(is_admin=True)
    visitor = ApiClient()
    sign_in(visitor, "alice")
    assert visitor.get("/").headers["Location"] == "/profile#factor"


@pytest.mark.engine
def test_a_change_on_the_command_line_is_in_force_at_once(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert manage_here("config", "set", "require_second_factor", "everybody").returncode == 0
    assert visitor.get("/api/records").status_code == 403
    assert manage_here("config", "set", "require_second_factor", "nobody").returncode == 0
    assert visitor.get("/api/records").status_code == 200


@pytest.mark.engine
def test_a_new_role_is_in_force_at_once(alice: User, root: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    manage_here("config", "set", "require_second_factor", "admins")
    codes = []
    for is_admin in (True, False):
        user_changes.update(alice.pk, {"is_admin": is_admin}, Actor("root", root.pk, ""))
        codes.append([visitor.get(path).status_code for path in ("/api/records", "/api/backups")])
    assert codes == [[403, 403], [200, 403]]


@pytest.mark.engine
def test_replacing_the_key_says_whose_codes_it_breaks(alice: User) -> None:
    assert "codes" not in manage_here("replace_key").stderr
    with_codes(alice)
    assert "Accounts whose codes become unreadable: 1." in manage_here("replace_key").stderr


def test_replacing_the_key_says_what_else_it_breaks(alice: User, bob: User) -> None:
    assert "addresses of notices" not in manage_here("replace_key").stderr
    addresses.replace(alice.pk, [StoredAddress("json://host", "json://…")])
    make_webhook(alice)
    make_webhook(bob)
    said = manage_here("replace_key").stderr
    assert "Accounts whose addresses of notices and webhooks are lost: 2." in said
    assert "Prompts that are kept as hashes are found no more." in said
