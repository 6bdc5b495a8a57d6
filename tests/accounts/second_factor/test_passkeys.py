"""Passkeys as a second factor, and alone (docs/api.md#second-factor)."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from fido2.cose import CoseKey
from fido2.utils import websafe_encode
from fido2.webauthn import AttestedCredentialData

from accounts.models import Passkey, SecondFactor, Session, User
from accounts.signin import throttling, visitor_sessions
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, page, post
from tests.accounts.second_factor.authenticator import Authenticator
from tests.accounts.second_factor.factors_of import half_in, is_in, sign_in, with_codes
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
ORIGIN = "https://usage.example.org"


@pytest.fixture(autouse=True)
def origin(settings: Any) -> None:
    settings.ORIGIN = ORIGIN


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(ORIGIN)


def entered(user: User) -> ApiClient:
    visitor = ApiClient()
    sign_in(visitor, user.username)
    return visitor


def added(visitor: ApiClient, device: Authenticator, name: str = "Laptop") -> Any:
    question = visitor.post("/api/second-factor/passkeys/options").json()
    return visitor.post("/api/second-factor/passkeys", {"name": name, "answer": device.make(question)})


def asked(visitor: ApiClient) -> dict[str, Any]:
    answer = visitor.client.post("/second-factor/passkey", headers={"X-CSRF-Token": visitor.token})
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def give(visitor: ApiClient, answer: Any, **fields: str) -> Any:
    return post(visitor, "/second-factor", passkey=answer if isinstance(answer, str) else json.dumps(answer), **fields)


def test_visitors_who_only_ask_leave_a_bounded_number_of_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_sessions, "MOST_KEPT", 3)
    for _ in range(5):
        visitor = ApiClient()
        visitor.get("/login")
        visitor.token = visitor.client.cookies["archive_csrf"].value
        asked(visitor)
    assert Session.objects.count() == 3


@pytest.fixture
def with_passkey(alice: User, device: Authenticator) -> User:
    assert added(entered(alice), device).status_code == 200
    return alice


# One that nobody knows, and one that is not offered.
@pytest.mark.parametrize("algorithm", [-9999, -65535])
def test_a_key_that_was_not_offered_is_not_stored(alice: User, device: Authenticator, algorithm: int) -> None:
    device.algorithm = algorithm
    answer = added(entered(alice), device)
    assert answer.status_code == 400, answer.content
    assert not Passkey.objects.exists()


def test_a_stored_key_that_cannot_be_verified_is_refused(with_passkey: User, device: Authenticator) -> None:
    passkey = Passkey.objects.get()
    data = AttestedCredentialData(b64decode(passkey.public_key))
    other = AttestedCredentialData.create(data.aaguid, data.credential_id, CoseKey({**data.public_key, 3: -9999}))
    Passkey.objects.update(public_key=b64encode(bytes(other)).decode())
    visitor = half_in(with_passkey)
    assert give(visitor, device.answer(asked(visitor))).status_code == 400
    assert not is_in(visitor)
    assert [str(entry.detail) for entry in Entry.objects.filter(action="login_failed")] != []


@pytest.mark.engine
def test_a_passkey_is_asked_for_after_the_password(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    assert "Use a passkey" in page(visitor.get("/second-factor"))
    question = asked(visitor)
    assert [one["id"] for one in question["publicKey"]["allowCredentials"]] == [Passkey.objects.get().credential_id]
    answer = give(visitor, device.answer(question), next="/records")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/records")
    assert is_in(visitor)
    assert Passkey.objects.get().last_used_at is not None


def test_the_first_one_comes_with_recovery_codes(alice: User, device: Authenticator) -> None:
    visitor = entered(alice)
    assert len(added(visitor, device).json()["recovery"]) == 10
    other = Authenticator(ORIGIN, credential_id=b"another credential")
    assert added(visitor, other, "Phone").json()["recovery"] == []
    found = visitor.get("/api/second-factor").json()
    assert [one["name"] for one in found["passkeys"]] == ["Laptop", "Phone"]
    assert (found["passkeys_available"], found["recovery_left"]) == (True, 10)
    assert Entry.objects.filter(action="second_factor").count() == 2


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\u202eb\x07", 7, None])
def test_a_name_is_needed(alice: User, device: Authenticator, name: Any) -> None:
    assert added(entered(alice), device, name).status_code == 400
    assert not Passkey.objects.exists()


@pytest.mark.parametrize(
    "answer", [None, [], "x", {}, {"id": "x"}, {"id": "eA", "rawId": "eA", "response": {}, "type": "public-key"}]
)
def test_what_no_browser_has_made_is_refused(alice: User, answer: Any) -> None:
    visitor = entered(alice)
    visitor.post("/api/second-factor/passkeys/options")
    refused = visitor.post("/api/second-factor/passkeys", {"name": "Laptop", "answer": answer})
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_request")


def test_one_question_has_one_answer(alice: User, device: Authenticator) -> None:
    visitor = entered(alice)
    answer = device.make(visitor.post("/api/second-factor/passkeys/options").json())
    assert visitor.post("/api/second-factor/passkeys", {"name": "Laptop", "answer": answer}).status_code == 200
    assert visitor.post("/api/second-factor/passkeys", {"name": "Again", "answer": answer}).status_code == 400


def test_a_passkey_belongs_to_one_account(with_passkey: User, bob: User, device: Authenticator) -> None:
    assert added(entered(bob), device).status_code == 400
    added(entered(bob), Authenticator(ORIGIN, credential_id=b"of bob"))
    visitor = half_in(bob)
    assert give(visitor, device.answer(asked(visitor))).status_code == 400
    assert not is_in(visitor)


def test_an_answer_for_another_address_is_none(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    device.origin = "https://usage.example.org.evil.example"
    assert give(visitor, device.answer(asked(visitor))).status_code == 400


def test_the_host_of_a_request_says_nothing(with_passkey: User, device: Authenticator, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    visitor = half_in(with_passkey)
    headers = {"X-CSRF-Token": visitor.token, "Host": "evil.example"}
    question = visitor.client.post("/second-factor/passkey", headers=headers).json()
    assert question["publicKey"]["rpId"] == "usage.example.org"


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON"])
def test_an_answer_that_was_changed_is_none(with_passkey: User, device: Authenticator, part: str) -> None:
    visitor = half_in(with_passkey)
    assert give(visitor, device.answer(asked(visitor), **{part: b"x" * 40})).status_code == 400
    assert not is_in(visitor)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 30_000, '{"id": 1}', "{}" + " " * 30_000])
def test_what_is_no_answer_is_refused(with_passkey: User, text: str) -> None:
    visitor = half_in(with_passkey)
    asked(visitor)
    assert give(visitor, text or " ").status_code == 400


def test_an_answer_is_one_once(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    answer = device.answer(asked(visitor))
    assert give(visitor, answer).status_code == 302
    assert give(half_in(with_passkey), answer).status_code == 400


def test_a_copy_that_has_counted_less_is_refused(with_passkey: User, device: Authenticator) -> None:
    for _ in range(2):
        visitor = half_in(with_passkey)
        assert give(visitor, device.answer(asked(visitor))).status_code == 302
    device.counts = 0
    visitor = half_in(with_passkey)
    assert give(visitor, device.answer(asked(visitor))).status_code == 400


def test_one_that_does_not_count_works_on(alice: User) -> None:
    device = Authenticator(ORIGIN, counts=None)
    added(entered(alice), device)
    for _ in range(2):
        visitor = half_in(alice)
        assert give(visitor, device.answer(asked(visitor))).status_code == 302


def test_wrong_answers_count_in_the_throttle(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    for _ in range(throttling.MOST_BY_NAME):
        assert give(visitor, {}).status_code == 400
    assert give(visitor, device.answer(asked(visitor))).status_code == 429


@pytest.mark.engine
def test_the_last_one_takes_the_recovery_codes_along(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    give(visitor, device.answer(asked(visitor)))
    visitor.token = visitor.client.cookies["archive_csrf"].value
    place = Passkey.objects.get().pk
    assert visitor.post(f"/api/second-factor/passkeys/{place}/remove").status_code == 200
    assert visitor.post(f"/api/second-factor/passkeys/{place}/remove").status_code == 404
    assert visitor.get("/api/second-factor").json()["recovery_left"] == 0
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"


def test_nobody_removes_that_of_another(with_passkey: User, bob: User) -> None:
    place = Passkey.objects.get().pk
    assert entered(bob).post(f"/api/second-factor/passkeys/{place}/remove").status_code == 404
    assert Passkey.objects.exists()


# Alone.


def choose_alone(user: User, *, is_on: bool = True) -> None:
    SecondFactor.objects.filter(user_id=user.pk).update(passkeys_alone=is_on)


@pytest.mark.engine
def test_a_passkey_signs_in_alone_where_the_account_chose_so(with_passkey: User, device: Authenticator) -> None:
    choose_alone(with_passkey)
    visitor = ApiClient()
    question = asked(visitor)
    assert "allowCredentials" not in question["publicKey"]
    assert question["publicKey"]["userVerification"] == "required"
    answer = give(visitor, device.answer(question), next="/runs")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/runs")
    assert is_in(visitor)


def test_a_passkey_does_not_sign_in_alone_where_the_account_did_not_choose_so(
    with_passkey: User, device: Authenticator
) -> None:
    visitor = ApiClient()
    answer = give(visitor, device.answer(asked(visitor)))
    assert answer.headers["Location"] == "/login"
    assert not is_in(visitor)


def test_a_passkey_that_is_not_sure_who_uses_it_does_not_sign_in_alone(
    with_passkey: User, device: Authenticator
) -> None:
    choose_alone(with_passkey)
    device.is_sure = False
    visitor = ApiClient()
    give(visitor, device.answer(asked(visitor)))
    assert not is_in(visitor)


def test_wrong_ones_of_some_keep_nobody_else_out(with_passkey: User, device: Authenticator) -> None:
    choose_alone(with_passkey)
    for number in range(3 * throttling.MOST_BY_NAME):
        post(ApiClient(), "/second-factor", f"192.0.2.{number}", passkey="{}")
    visitor = ApiClient()
    assert give(visitor, device.answer(asked(visitor))).headers["Location"] == "/"


def test_a_disabled_account_does_not_get_in(with_passkey: User, device: Authenticator) -> None:
    choose_alone(with_passkey)
    User.objects.update(status=User.DISABLED)
    visitor = ApiClient()
    give(visitor, device.answer(asked(visitor)))
    assert not is_in(visitor)


def test_the_account_chooses_it_on_its_profile(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    give(visitor, device.answer(asked(visitor)))
    visitor.token = visitor.client.cookies["archive_csrf"].value
    for is_on in (True, False):
        assert visitor.post("/api/second-factor/passkeys/alone", {"alone": is_on}).status_code == 200
        assert visitor.get("/api/second-factor").json()["passkeys_alone"] is is_on


def test_without_an_origin_there_are_none(alice: User, settings: Any, api_of: ApiOf, time: SetClock) -> None:
    settings.ORIGIN = ""
    visitor = entered(alice)
    assert visitor.post("/api/second-factor/passkeys/options").status_code == 404
    assert visitor.post("/api/second-factor/passkeys", {"name": "x"}).status_code == 404
    assert ApiClient().client.post("/second-factor/passkey", headers={"X-CSRF-Token": "x"}).status_code in (400, 403)
    assert "Sign in with a passkey" not in page(ApiClient().get("/login"))
    assert "ARCHIVE_ORIGIN" in page(visitor.get("/profile"))


def test_a_passkey_proves_again_who_it_is(with_passkey: User, device: Authenticator) -> None:
    visitor = half_in(with_passkey)
    give(visitor, device.answer(asked(visitor)))
    visitor.token = visitor.client.cookies["archive_csrf"].value
    session = visitor.client.session
    session["second_factor_given_at"] = 0
    session.save()
    token = {"name": "x", "scopes": ["read"]}
    assert visitor.post("/api/tokens", token).status_code == 403
    answer = json.dumps(device.answer(asked(visitor)))
    wrong = visitor.post("/api/reauthenticate", {"password": "wrong", "passkey": answer})
    assert wrong.status_code == 400
    # It was not looked at, so it is still good, once.
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD, "passkey": answer}).status_code == 200
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD, "passkey": answer}).status_code == 400
    assert visitor.post("/api/tokens", token).status_code == 200


def test_the_passkey_of_another_account_proves_nothing(with_passkey: User, bob: User, device: Authenticator) -> None:
    visitor = entered(bob)
    answer = json.dumps(device.answer(asked(half_in(with_passkey))))
    asked(visitor)
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD, "passkey": answer}).status_code == 400


def test_what_was_asked_of_one_account_lets_no_other_in(alice: User, bob: User, device: Authenticator) -> None:
    mine = entered(alice)
    assert added(mine, device).status_code == 200
    assert mine.post("/api/second-factor/passkeys/alone", {"alone": True}).status_code == 200
    with_codes(bob)
    stranger = half_in(bob)
    question = asked(stranger)
    # The password of the account that the question was asked of changes: nobody is half in any more.
    User.objects.filter(pk=bob.pk).update(session_version=9)
    device.is_sure = False
    give(stranger, device.answer(question))
    assert not is_in(stranger)


def test_alone_a_device_makes_sure_who_uses_it(alice: User, device: Authenticator) -> None:
    mine = entered(alice)
    added(mine, device)
    mine.post("/api/second-factor/passkeys/alone", {"alone": True})
    for is_sure in (False, True):
        device.is_sure, visitor = is_sure, ApiClient()
        visitor.get("/login")
        visitor.token = visitor.client.cookies["archive_csrf"].value
        give(visitor, device.answer(asked(visitor)))
        assert is_in(visitor) == is_sure


@pytest.mark.parametrize("part", ["authenticatorData", "clientDataJSON"])
def test_answers_nested_without_end_are_refused(with_passkey: User, device: Authenticator, part: str) -> None:
    visitor = half_in(with_passkey)
    answer = device.answer(asked(visitor))
    deep = b"[" * 9000 if part == "clientDataJSON" else bytes(32) + b"\x85" + bytes(4) + b"\x81" * 5000
    answer["response"][part] = websafe_encode(deep)
    assert give(visitor, answer).status_code == 400
