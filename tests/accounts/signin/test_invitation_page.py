"""GET and POST /invitation/<token>: an invited person creates an account (docs/api.md#invitations)."""

from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from accounts.models import Invitation, Session, User
from accounts.signin import invitations
from audit import log
from audit.models import Entry
from tests.accounts.page_forms import GOOD, ApiOf, accept, instance, invite, page, sign_in
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]


def error_at(response: Any, field: str) -> str:
    return page(response).split(f'id="id_{field}_error"')[1].split("</ul>")[0]


def test_the_link_opens_the_form(link: str, anonymous: ApiClient) -> None:
    form = page(anonymous.get(link))
    names = ("username", "display_name", "email", "password", "password2", "_csrf")
    assert [name for name in names if f'name="{name}"' not in form] == []


def test_looking_uses_nothing_up_and_makes_no_session(link: str, anonymous: ApiClient) -> None:
    assert [anonymous.get(link).status_code for _ in range(3)] == [200] * 3
    assert anonymous.client.head(link).status_code == 200
    assert (Invitation.objects.count(), Session.objects.exists()) == (1, False)


def test_the_person_gets_an_ordinary_account_and_is_signed_in(link: str, anonymous: ApiClient) -> None:
    response = accept(anonymous, link, display_name="Carol C.", email="carol@example.org")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    carol = User.objects.named("carol")
    assert carol
    assert (carol.display_name, carol.email, carol.is_admin, carol.is_active) == (
        "Carol C.", "carol@example.org", False, True
    )  # fmt: skip
    assert anonymous.get("/config").status_code == 200


def test_the_account_signs_in_with_the_chosen_password(link: str, anonymous: ApiClient) -> None:
    accept(anonymous, link)
    assert sign_in(ApiClient(), "carol").status_code == 302


def test_a_role_that_is_sent_along_is_ignored(link: str, anonymous: ApiClient) -> None:
    accept(anonymous, link, is_admin="1", created_by="1", status="disabled")
    carol = User.objects.named("carol")
    assert carol
    assert (carol.is_admin, carol.is_active) == (False, True)


@pytest.mark.engine
def test_its_use_is_audited_without_the_link(link: str, anonymous: ApiClient) -> None:
    row = Invitation.objects.get()
    accept(anonymous, link, address="192.0.2.9")
    entry = Entry.objects.get(action="invitation_use")
    carol = User.objects.named("carol")
    assert carol
    assert (entry.actor, entry.user_id, entry.ip) == ("Carol", carol.pk, "192.0.2.9")
    assert str(row.pk) in entry.detail
    assert link.rpartition("/")[2] not in str(list(Entry.objects.values()))


def test_the_name_that_was_given_is_kept_whatever_is_sent(root: User, anonymous: ApiClient) -> None:
    link = invite(root, username="dora", display_name="Dora D.")
    form = page(anonymous.get(link))
    assert 'value="dora"' in form
    assert "readonly" in form
    assert 'value="Dora D."' in form
    assert accept(anonymous, link, username="root2", display_name="D").status_code == 302
    assert User.objects.named("root2") is None
    dora = User.objects.named("dora")
    assert dora
    assert dora.display_name == "D"


def test_a_given_name_that_was_taken_meanwhile_is_said(root: User, anonymous: ApiClient) -> None:
    link = invite(root, username="dora")
    User.objects.create(username="dora")
    response = accept(anonymous, link)
    assert response.status_code == 400
    assert "taken" in error_at(response, "username")
    assert "Ask the administrator" in error_at(response, "username")


@pytest.mark.parametrize(
    ("field", "wrong", "said"),
    [
        ("username", "a", "2 to 32 characters"),
        ("username", "", "required"),
        ("username", "root", "taken"),
        ("username", "rооt", "alphabet"),
        ("password", "", "required"),
        ("password2", "another Horse 7", "The two passwords differ"),
        ("email", "nowhere", "An email address must"),
    ],
)
def test_an_error_stands_at_its_field_and_the_link_stays_open(
    field: str, wrong: str, said: str, link: str, anonymous: ApiClient
) -> None:
    response = accept(anonymous, link, **{field: wrong})
    assert response.status_code == 400
    assert said in error_at(response, field)
    assert User.objects.count() == 1
    assert accept(anonymous, link).status_code == 302


def test_passwords_do_not_come_back(link: str, anonymous: ApiClient) -> None:
    answer = page(accept(anonymous, link, password2="another Horse 7"))
    assert 'value="Carol"' in answer
    assert "Horse" not in answer


def test_a_strict_instance_refuses_a_weak_password(link: str, anonymous: ApiClient, settings: Any) -> None:
    settings.PASSWORD_STRICT = 12
    response = accept(anonymous, link, password="short 1A", password2="short 1A")
    assert response.status_code == 400
    assert User.objects.count() == 1


def test_it_works_where_nobody_may_register(link: str, anonymous: ApiClient) -> None:
    instance(allow_register="0", register_max_per_ip="1")
    assert anonymous.get("/register").status_code == 403
    assert accept(anonymous, link).status_code == 302


def test_it_takes_no_place_of_those_who_register_from_the_address(root: User) -> None:
    instance(allow_register="1", register_max_per_ip="1", captcha_policy="off")
    accept(ApiClient(), invite(root))
    assert User.objects.get(username="Carol").register_ip is None
    register = ApiClient()
    fields = {"_csrf": register.token, **GOOD, "username": "dora"}
    assert register.client.post("/register", fields).status_code == 302


def test_who_is_signed_in_is_asked_to_sign_out_and_the_link_stays_open(link: str, alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    for response in (visitor.get(link), accept(visitor, link)):
        assert response.status_code == 403
        assert "sign out first" in page(response)
    assert accept(ApiClient(), link).status_code == 302


def test_a_post_needs_the_token_of_the_page(link: str, anonymous: ApiClient) -> None:
    assert anonymous.client.post(link, GOOD).status_code == 400
    assert User.objects.count() == 1


def test_no_cache_keeps_the_page_and_no_other_site_learns_its_address(link: str, anonymous: ApiClient) -> None:
    response = anonymous.get(link)
    assert "no-store" in response.headers["Cache-Control"]
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "//" not in page(response).replace("<!doctype", "").split("<body")[1]


def test_a_failure_names_no_link(link: str, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*values: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(invitations, "use", fail)
    response = accept(anonymous, link)
    token = link.rpartition("/")[2]
    assert response.status_code == 500
    assert token not in page(response)
    logged = django_settings.DATA_FOLDER.log.read_text()
    assert "broken on purpose" in logged
    assert (token in logged, PASSWORD in logged) == (False, False)


def test_a_death_in_the_middle_leaves_the_link_and_no_account(
    link: str, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*values: object, **fields: object) -> None:
        raise RuntimeError("dead")

    with monkeypatch.context() as dying:
        dying.setattr(log, "record", die)
        assert accept(anonymous, link).status_code == 500
    assert (User.objects.count(), Invitation.objects.count()) == (1, 1)
    assert accept(anonymous, link).status_code == 302


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_gets_an_account(root: User) -> None:
    link = invite(root)

    def attempt(name: str) -> int:
        return int(accept(ApiClient(), link, username=name).status_code)

    names = [f"guest{number}" for number in range(4)]
    found = together(*(lambda name=name: attempt(name) for name in names))
    assert sorted(found) == [302, 404, 404, 404]
    assert User.objects.count() == 2


def test_the_page_is_not_shown_in_a_frame_and_needs_no_cookie_to_be_read(link: str) -> None:
    response = Client().get(link)
    assert (response.status_code, response.headers["X-Frame-Options"]) == (200, "DENY")
