"""GET and POST /api/users, and who may use them: docs/api.md#users."""

import pytest

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of, sign_in
from tests.accounts.users_api import NEW, PATH, audited, change, refusal
from tests.factories import PASSWORD, ApiClient

pytestmark = pytest.mark.django_db
FIELDS = {
    "id", "username", "display_name", "email", "is_admin", "status", "created_at", "register_ip", "last_login_at",
    "last_login_ip", "login_count",
}  # fmt: skip


# Listing


def test_users_are_listed_by_id_in_their_public_form(alice: User, bob: User, admin: ApiClient, root: User) -> None:
    response = admin.get(PATH)
    items = answer_of(response)["items"]
    assert [item["id"] for item in items] == sorted((alice.pk, bob.pk, root.pk))
    assert all(set(item) == FIELDS for item in items)
    assert "no-store" in response.headers["Cache-Control"]


def test_a_new_user_has_the_specified_values(alice: User, admin: ApiClient) -> None:
    item = next(item for item in answer_of(admin.get(PATH))["items"] if item["id"] == alice.pk)
    assert len(item.pop("created_at")) == 19
    assert item == {
        "id": alice.pk, "username": "alice", "display_name": "alice", "email": None, "is_admin": False,
        "status": "active", "register_ip": None, "last_login_at": None, "last_login_ip": None, "login_count": 0,
    }  # fmt: skip


@pytest.mark.usefixtures("no_captcha")
def test_a_sign_in_is_counted(alice: User, admin: ApiClient, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    item = next(item for item in answer_of(admin.get(PATH))["items"] if item["id"] == alice.pk)
    assert (item["login_count"], item["last_login_ip"], len(item["last_login_at"])) == (1, "127.0.0.1", 19)


def test_no_hash_is_in_any_answer(alice: User, admin: ApiClient) -> None:
    answers = [admin.get(PATH), admin.post(PATH, NEW), change(admin, alice, display_name="A")]
    assert not any(b"argon2" in answer.content for answer in answers)


# Creating


def test_a_user_is_created(admin: ApiClient) -> None:
    response = admin.post(PATH, {**NEW, "display_name": " Carol ", "email": "c@example.org"})
    carol = User.objects.get(username="carol")
    answer = answer_of(response)
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
        {"username": ""}, {"username": None}, {"username": "a b"}, {"username": ["carol"]},
        {"password": ""}, {"password": None}, {"password2": ""}, {"password2": "other Horse 7"}, {"email": "nobody"},
        {"email": "a b@c"}, {"display_name": "a\x00b"},
        {"password": "Short 1", "password2": "Short 1"}, {"password": "lowercase", "password2": "lowercase"},
        {"password": "a1" * 65, "password2": "a1" * 65},
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
def test_a_password_of_two_classes_is_accepted(password: str, admin: ApiClient) -> None:
    assert admin.post(PATH, {**NEW, "password": password, "password2": password}).status_code == 200


@pytest.mark.parametrize("password", ["abcdefgh", "ABCDEFGH", "12345678", "!!!!!!!!", "密码密码密码密码", "abcdéfgh"])
def test_a_password_of_one_class_will_not_do(password: str, admin: ApiClient) -> None:
    assert refusal(admin.post(PATH, {**NEW, "password": password, "password2": password}))


# Who may


@pytest.mark.parametrize("path", [PATH, f"{PATH}/1", f"{PATH}/1/delete"])
def test_an_ordinary_user_is_403_and_anonymous_401(path: str, alice: User, api_of: ApiOf, anonymous: ApiClient) -> None:
    assert answer_of(api_of(alice).post(path))["error"] == "forbidden"
    assert anonymous.post(path).status_code == 401
    assert anonymous.client.post(path).status_code == 400


def test_a_get_of_one_user_is_405(admin: ApiClient, alice: User) -> None:
    response = admin.get(f"{PATH}/{alice.pk}")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
