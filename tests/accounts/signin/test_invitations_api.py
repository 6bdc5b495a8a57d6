"""/api/users/invitations: creating, listing and revoking links (docs/api.md#invitations)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Invitation, User
from accounts.signin import invitations
from archive_site.lib import clock
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.accounts.users_api import refusal
from tests.factories import ApiClient, make_user

pytestmark = pytest.mark.django_db
PATH = "/api/users/invitations"


def create(admin: ApiClient, **body: object) -> dict[str, Any]:
    response = admin.post(PATH, body)
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = answer_of(response)
    return answer


def listed(admin: ApiClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = answer_of(admin.get(PATH))["items"]
    return items


def token_in(answer: dict[str, Any]) -> str:
    return str(answer["path"]).rpartition("/")[2]


def test_a_link_is_created_with_a_long_token_and_lasts_seven_days(admin: ApiClient) -> None:
    answer = create(admin)
    assert answer["path"].startswith("/invitation/")
    assert len(token_in(answer)) >= 32
    found = Invitation.objects.get()
    assert found.expires_at - found.created_at == timedelta(days=7)
    assert (answer["id"], answer["expires_at"]) == (found.pk, clock.local_text(found.expires_at))


def test_no_cache_keeps_the_answer_with_the_link(admin: ApiClient) -> None:
    assert admin.post(PATH).headers["Cache-Control"] == "no-store"


def test_two_links_have_two_tokens(admin: ApiClient) -> None:
    assert token_in(create(admin)) != token_in(create(admin))


def test_the_token_is_nowhere_but_in_the_answer(admin: ApiClient) -> None:
    token = token_in(create(admin, username="carol"))
    row = Invitation.objects.values().get()
    assert token not in str(row)
    assert len(row["token_hash"]) == 64
    assert token not in str(list(Entry.objects.values()))
    answers = [admin.get(path).content.decode() for path in (PATH, "/users", "/audit", "/api/audit")]
    assert not [text for text in answers if token in text or row["token_hash"] in text]


def test_the_list_names_all_but_the_link(admin: ApiClient, root: User) -> None:
    create(admin)
    create(admin, username="Carol", display_name=" Carol C. ")
    newest, oldest = listed(admin)
    assert {name: newest[name] for name in ("username", "display_name", "created_by")} == {
        "username": "Carol", "display_name": "Carol C.", "created_by": "root"
    }  # fmt: skip
    assert (oldest["username"], oldest["display_name"]) == (None, None)
    assert set(newest) == {"id", "username", "display_name", "created_by", "created_at", "expires_at"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"username": "x"}, "2 to 32"),
        ({"username": "root"}, "taken"),
        ({"username": "ROOT"}, "taken"),
        ({"username": "r\u00f6ot"}, "looks like"),
        ({"username": "scheduler"}, "reserved"),
        ({"display_name": "a\u202eb"}, "control characters"),
    ],
)
def test_a_name_that_no_account_could_have_is_refused(body: dict[str, str], said: str, admin: ApiClient) -> None:
    assert said in refusal(admin.post(PATH, body))
    assert not Invitation.objects.exists()


def test_a_name_has_one_open_invitation(admin: ApiClient) -> None:
    first = create(admin, username="carol")
    assert "open invitation" in refusal(admin.post(PATH, {"username": "CAROL"}))
    admin.post(f"{PATH}/{first['id']}/revoke")
    create(admin, username="carol")


def test_there_are_a_hundred_open_ones_at_most(admin: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MOST_OPEN", 2)
    create(admin)
    create(admin)
    assert "2 open invitations" in refusal(admin.post(PATH))
    Invitation.objects.update(expires_at=clock.now())
    create(admin)


def test_an_odd_body_is_an_invitation_without_names(admin: ApiClient) -> None:
    response = admin.client.post(PATH, b"[1]", content_type="application/json", headers={"X-CSRF-Token": admin.token})
    assert response.status_code == 200
    assert listed(admin)[0]["username"] is None


def test_a_revoked_link_is_gone(admin: ApiClient) -> None:
    answer = create(admin)
    assert answer_of(admin.post(f"{PATH}/{answer['id']}/revoke"))["ok"] is True
    assert (listed(admin), invitations.find(token_in(answer))) == ([], None)


@pytest.mark.parametrize("which", ["0", "999999", "none", "9" * 40, "-1"])
def test_an_unknown_id_is_404(which: str, admin: ApiClient) -> None:
    create(admin)
    assert "no such open invitation" in refusal(admin.post(f"{PATH}/{which}/revoke"), 404)
    assert len(listed(admin)) == 1


def test_a_link_is_revoked_once(admin: ApiClient) -> None:
    path = f"{PATH}/{create(admin)['id']}/revoke"
    assert [admin.post(path).status_code for _ in range(2)] == [200, 404]


def test_another_administrator_revokes_it(admin: ApiClient, api_of: ApiOf) -> None:
    answer = create(admin)
    other = api_of(make_user("second", is_admin=True))
    assert other.post(f"{PATH}/{answer['id']}/revoke").status_code == 200


@pytest.mark.engine
def test_creating_and_revoking_are_audited(admin: ApiClient, root: User) -> None:
    named, plain = create(admin, username="carol"), create(admin)
    admin.post(f"{PATH}/{plain['id']}/revoke")
    entries = Entry.objects.order_by("pk").values_list("action", "actor", "user_id", "ip")
    assert list(entries) == [
        (action, "root", root.pk, "127.0.0.1")
        for action in ("invitation_create", "invitation_create", "invitation_revoke")
    ]
    told_of = [item["detail"] for item in answer_of(admin.get("/api/audit"))["items"]]
    assert told_of == [f"invitation {plain['id']}"] * 2 + [f"invitation {named['id']} for carol"]


def test_an_ordinary_account_learns_and_changes_nothing(admin: ApiClient, alice: User, api_of: ApiOf) -> None:
    answer = create(admin, username="carol")
    visitor = api_of(alice)
    paths: list[tuple[Callable[..., Any], str]] = [
        (visitor.get, PATH), (visitor.post, PATH), (visitor.post, f"{PATH}/{answer['id']}/revoke"),
    ]  # fmt: skip
    assert [ask(path).status_code for ask, path in paths] == [403, 403, 403]
    assert len(listed(admin)) == 1


@pytest.mark.parametrize("change", [{"is_admin": "0"}, {"status": "disabled"}])
def test_a_link_ends_with_the_role_of_its_creator(
    change: dict[str, str], admin: ApiClient, root: User, api_of: ApiOf
) -> None:
    other = make_user("second", is_admin=True)
    token = token_in(create(api_of(other)))
    assert invitations.find(token)
    assert admin.post(f"/api/users/{other.pk}", change).status_code == 200
    assert (listed(admin), invitations.find(token)) == ([], None)


@pytest.mark.parametrize("keep_data", [True, False])
def test_a_link_ends_with_its_creators_account(keep_data: bool, admin: ApiClient, api_of: ApiOf) -> None:
    other = make_user("second", is_admin=True)
    token = token_in(create(api_of(other)))
    admin.post(f"/api/users/{other.pk}/delete", {"keep_data": keep_data})
    assert (listed(admin), invitations.find(token)) == ([], None)


def test_an_administrator_who_was_demoted_meanwhile_creates_none(root: User) -> None:
    User.objects.filter(pk=root.pk).update(is_admin=False)
    visitor = ApiClient.signed_in(root)
    assert visitor.post(PATH).status_code == 403


def test_creating_needs_a_recent_password_where_the_instance_asks_for_it(admin: ApiClient, settings: Any) -> None:
    settings.REAUTHENTICATE_MINUTES = 15
    response = admin.post(PATH)
    assert (response.status_code, answer_of(response)["error"]) == (403, "reauthenticate")
    assert not Invitation.objects.exists()


@pytest.mark.engine
def test_the_housekeeping_deletes_expired_ones_only(admin: ApiClient) -> None:
    expired, _ = create(admin), create(admin)
    Invitation.objects.filter(pk=expired["id"]).update(expires_at=clock.now())
    assert len(listed(admin)) == 1
    assert invitations.delete_expired() == 1
    assert Invitation.objects.count() == 1


def test_the_log_masks_a_link(admin: ApiClient) -> None:
    token = token_in(create(admin))
    # A refused POST writes its path.
    assert ApiClient().client.post(f"/invitation/{token}").status_code == 400
    logged = settings.DATA_FOLDER.log.read_text()
    assert "/invitation/[removed]" in logged
    assert token not in logged
