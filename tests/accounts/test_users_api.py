"""GET and POST /api/users, POST /api/users/<id>: docs/api.md#users."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, sign_in, told
from tests.factories import PASSWORD, ApiClient, make_user

pytestmark = pytest.mark.django_db
PATH = "/api/users"
NEW_PASSWORD = "another Horse 8"
FIELDS = {
    "id", "username", "display_name", "email", "is_admin", "status", "created_at", "register_ip", "last_login_at",
    "last_login_ip", "login_count",
}  # fmt: skip
NEW = {"username": "carol", "password": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def admin(root: User, api_of: ApiOf) -> ApiClient:
    return api_of(root)


def change(admin: ApiClient, user: User, **body: object) -> Any:
    return admin.post(f"{PATH}/{user.pk}", body)


def refusal(response: Any, status: int = 400) -> str:
    """The message of a refusal, which has no error code."""
    answer = told(response)
    assert response.status_code == status
    assert set(answer) == {"ok", "message"}
    assert answer["ok"] is False
    return str(answer["message"])


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def audited() -> Entry:
    return Entry.objects.latest("pk")


# Listing


def test_users_are_listed_by_id_in_their_public_form(alice: User, bob: User, admin: ApiClient, root: User) -> None:
    response = admin.get(PATH)
    items = told(response)["items"]
    assert [item["id"] for item in items] == sorted((alice.pk, bob.pk, root.pk))
    assert all(set(item) == FIELDS for item in items)
    assert "no-store" in response.headers["Cache-Control"]


def test_a_new_user_has_the_specified_values(alice: User, admin: ApiClient) -> None:
    item = next(item for item in told(admin.get(PATH))["items"] if item["id"] == alice.pk)
    assert len(item.pop("created_at")) == 19
    assert item == {
        "id": alice.pk, "username": "alice", "display_name": "alice", "email": None, "is_admin": False,
        "status": "active", "register_ip": None, "last_login_at": None, "last_login_ip": None, "login_count": 0,
    }  # fmt: skip


@pytest.mark.usefixtures("no_captcha")
def test_a_sign_in_is_counted(alice: User, admin: ApiClient, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    item = next(item for item in told(admin.get(PATH))["items"] if item["id"] == alice.pk)
    assert (item["login_count"], item["last_login_ip"], len(item["last_login_at"])) == (1, "127.0.0.1", 19)


def test_no_hash_is_in_any_answer(alice: User, admin: ApiClient) -> None:
    answers = [admin.get(PATH), admin.post(PATH, NEW), change(admin, alice, display_name="A")]
    assert not any(b"argon2" in answer.content for answer in answers)


# Creating


def test_a_user_is_created(admin: ApiClient) -> None:
    response = admin.post(PATH, {**NEW, "display_name": " Carol ", "email": "c@example.org"})
    carol = User.objects.get(username="carol")
    answer = told(response)
    assert response.status_code == 200
    assert (answer["ok"], answer["id"], set(answer)) == (True, carol.pk, {"ok", "message", "id"})
    assert (carol.display_name, carol.email, carol.is_admin, carol.status) == (
        "Carol",
        "c@example.org",
        False,
        "active",
    )


def test_a_created_user_signs_in(admin: ApiClient, anonymous: ApiClient, no_captcha: None) -> None:
    admin.post(PATH, NEW)
    assert sign_in(anonymous, "carol").status_code == 302


def test_creating_is_in_the_audit_log(admin: ApiClient, root: User) -> None:
    admin.post(PATH, NEW)
    entry = audited()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == ("user_create", "root", root.pk, "127.0.0.1")
    assert "carol" in entry.detail
    assert PASSWORD not in entry.detail


@pytest.mark.parametrize("value", [1, "1", "true", "on", True, "TRUE", " on "])
def test_the_words_that_make_an_administrator(value: object, admin: ApiClient) -> None:
    admin.post(PATH, {**NEW, "is_admin": value})
    assert User.objects.get(username="carol").is_admin


@pytest.mark.parametrize("value", [0, "0", "false", "yes", "", None, False, [1], 2])
def test_anything_else_makes_none(value: object, admin: ApiClient) -> None:
    admin.post(PATH, {**NEW, "is_admin": value})
    assert not User.objects.get(username="carol").is_admin


def test_without_a_display_name_it_is_the_user_name(admin: ApiClient) -> None:
    admin.post(PATH, {**NEW, "display_name": "  "})
    assert User.objects.get(username="carol").display_name == "carol"


def test_too_long_a_display_name_and_email_are_cut(admin: ApiClient) -> None:
    admin.post(PATH, {**NEW, "display_name": "x" * 65, "email": "a@" + "b" * 200})
    carol = User.objects.get(username="carol")
    assert (len(carol.display_name), len(carol.email or "")) == (64, 128)


@pytest.mark.parametrize("name", ["root", "ROOT", "ｒｏｏｔ", " root "])
def test_a_name_that_is_taken_is_refused(name: str, admin: ApiClient) -> None:
    assert "taken" in refusal(admin.post(PATH, {**NEW, "username": name}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"username": ""}, {"username": None}, {"username": "a b"}, {"username": ["carol"]}, {"username": "ab\ud800"},
        {"password": ""}, {"password": None}, {"password2": ""}, {"password2": "other Horse 7"}, {"email": "nobody"},
        {"email": "a b@c"}, {"email": "a@\ud800"}, {"display_name": "a\x00b"}, {"display_name": "a\ud800b"},
        {"password": "Short 1", "password2": "Short 1"}, {"password": "lowercase", "password2": "lowercase"},
        {"password": "a1" * 65, "password2": "a1" * 65}, {"password": "ab 1234\ud800", "password2": "ab 1234\ud800"},
    ],
)  # fmt: skip
def test_a_value_that_will_not_do_creates_nobody(wrong: dict[str, object], admin: ApiClient) -> None:
    before = User.objects.count()
    assert refusal(admin.post(PATH, {**NEW, **wrong}))
    assert User.objects.count() == before
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    "password", ["abcdefg1", "ABCDEFG1", "abcdefgH", "abcdefg ", "1234567é", "密码密码密码密1", "a1" * 64]
)
def test_a_password_of_two_classes_will_do(password: str, admin: ApiClient) -> None:
    assert admin.post(PATH, {**NEW, "password": password, "password2": password}).status_code == 200


@pytest.mark.parametrize("password", ["abcdefgh", "ABCDEFGH", "12345678", "!!!!!!!!", "密码密码密码密码", "abcdéfgh"])
def test_a_password_of_one_class_will_not_do(password: str, admin: ApiClient) -> None:
    assert refusal(admin.post(PATH, {**NEW, "password": password, "password2": password}))


# Changing


def test_name_and_email_are_changed(alice: User, admin: ApiClient) -> None:
    response = change(admin, alice, display_name=" A ", email=" a@example.org ")
    assert (response.status_code, set(told(response))) == (200, {"ok", "message"})
    assert (fresh(alice).display_name, fresh(alice).email) == ("A", "a@example.org")


def test_empty_ones_are_cleared(alice: User, admin: ApiClient) -> None:
    change(admin, alice, display_name="A", email="a@example.org")
    change(admin, alice, display_name=" ", email="")
    assert (fresh(alice).display_name, fresh(alice).email) == ("alice", None)


def test_a_null_email_clears_it(alice: User, admin: ApiClient) -> None:
    change(admin, alice, email="a@example.org")
    assert change(admin, alice, email=None).status_code == 200
    assert fresh(alice).email is None


def test_a_change_is_in_the_audit_log_without_a_secret(alice: User, admin: ApiClient, root: User) -> None:
    change(admin, alice, display_name="A", password=NEW_PASSWORD, password2=NEW_PASSWORD)
    entry = audited()
    assert (entry.action, entry.actor, entry.user_id) == ("user_update", "root", root.pk)
    assert "alice" in entry.detail
    assert NEW_PASSWORD not in entry.detail


@pytest.mark.parametrize("body", [{}, {"username": "eve"}, {"status": None}, {"is_admin": None}, {"password": ""}])
def test_a_body_that_asks_for_nothing_is_refused(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert "nothing to change" in refusal(change(admin, alice, **body))
    assert not Entry.objects.exists()


@pytest.mark.parametrize("user_id", ["99999", "0", "x", "-1", "1.5", "9" * 30, "٣"])
@pytest.mark.parametrize("body", [{}, {"display_name": "A"}])
def test_an_unknown_id_is_404_before_the_body_is_looked_at(user_id: str, body: Any, admin: ApiClient) -> None:
    assert refusal(admin.post(f"{PATH}/{user_id}", body), 404)


def test_the_user_name_never_changes(alice: User, admin: ApiClient) -> None:
    change(admin, alice, username="eve", display_name="A")
    assert fresh(alice).username == "alice"


@pytest.mark.parametrize("body", [{"email": "nobody"}, {"display_name": "a\x00"}, {"password": "x", "password2": "x"}])
def test_one_bad_value_changes_nothing_at_all(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert refusal(change(admin, alice, is_admin=True, **body))
    assert not fresh(alice).is_admin


@pytest.mark.parametrize("value", ["active", "1", "true", "on", 1, True, " Active "])
def test_the_words_that_make_active(value: object, alice: User, admin: ApiClient) -> None:
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert change(admin, alice, status=value).status_code == 200
    assert fresh(alice).is_active


@pytest.mark.parametrize("value", ["disabled", "0", "", False, "yes", 0, "inactive", []])
def test_any_other_word_disables(value: object, alice: User, admin: ApiClient) -> None:
    assert change(admin, alice, status=value).status_code == 200
    assert fresh(alice).status == "disabled"


def test_disabling_ends_sessions_for_good(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    change(admin, alice, status="disabled")
    assert visitor.get("/api/runs").status_code == 401
    change(admin, alice, status="active")
    assert visitor.get("/api/runs").status_code == 401


def test_a_disabled_account_is_rejected_even_when_its_version_stayed(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert visitor.get("/api/runs").status_code == 401


def test_a_role_is_given_and_taken(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    change(admin, alice, is_admin="1")
    assert visitor.get(PATH).status_code == 200
    change(admin, alice, is_admin="0")
    assert visitor.get(PATH).status_code == 403


@pytest.mark.usefixtures("no_captcha")
def test_a_reset_password_ends_the_accounts_sessions(
    alice: User, admin: ApiClient, api_of: ApiOf, anonymous: ApiClient
) -> None:
    visitor = api_of(alice)
    assert change(admin, alice, password=NEW_PASSWORD, password2=NEW_PASSWORD).status_code == 200
    assert visitor.get("/api/runs").status_code == 401
    assert sign_in(anonymous, password=NEW_PASSWORD).status_code == 302


@pytest.mark.parametrize("body", [{"password": NEW_PASSWORD}, {"password": NEW_PASSWORD, "password2": PASSWORD}])
def test_a_password_needs_its_repetition(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert refusal(change(admin, alice, **body))
    assert fresh(alice).check_password(PASSWORD)


# Guards


def test_nobody_takes_the_own_role_away(root: User, admin: ApiClient) -> None:
    make_user("second", is_admin=True)
    assert "your own" in refusal(change(admin, root, is_admin="0"))
    assert fresh(root).is_admin


def test_nobody_disables_the_own_account(root: User, admin: ApiClient) -> None:
    make_user("second", is_admin=True)
    assert "your own" in refusal(change(admin, root, status="disabled"))
    assert fresh(root).is_active


def test_the_own_role_and_state_may_be_said_again(root: User, admin: ApiClient) -> None:
    assert change(admin, root, is_admin=True, status="active").status_code == 200


def test_a_guard_holds_though_other_changes_are_asked_for(root: User, admin: ApiClient) -> None:
    assert refusal(change(admin, root, display_name="R", is_admin=False))
    assert fresh(root).display_name == "root"


def test_another_administrator_may_be_demoted_and_disabled(admin: ApiClient) -> None:
    second, third = make_user("second", is_admin=True), make_user("third", is_admin=True)
    assert change(admin, second, is_admin=0).status_code == 200
    assert change(admin, third, status=0).status_code == 200


def test_a_disabled_administrator_may_be_demoted(admin: ApiClient) -> None:
    second = make_user("second", is_admin=True, status=User.DISABLED)
    assert change(admin, second, is_admin=0).status_code == 200


# Who may


@pytest.mark.parametrize("path", [PATH, f"{PATH}/1", f"{PATH}/1/delete"])
def test_an_ordinary_user_is_403_and_anonymous_401(path: str, alice: User, api_of: ApiOf, anonymous: ApiClient) -> None:
    assert told(api_of(alice).post(path))["error"] == "forbidden"
    assert anonymous.post(path).status_code == 401
    assert anonymous.client.post(path).status_code == 400


def test_a_get_of_one_user_is_405(admin: ApiClient, alice: User) -> None:
    response = admin.get(f"{PATH}/{alice.pk}")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_a_reset_password_raises_the_session_version(alice: User, admin: ApiClient) -> None:
    change(admin, alice, password=NEW_PASSWORD, password2=NEW_PASSWORD)
    assert fresh(alice).session_version == alice.session_version + 1


def test_the_audit_log_names_only_what_is_another_value_now(alice: User, admin: ApiClient) -> None:
    assert change(admin, alice, is_admin="0", email="a@example.com").status_code == 200
    assert audited().detail == "alice: email"
    assert change(admin, alice, is_admin="0").status_code == 200
    assert audited().detail == "alice: nothing changed"
