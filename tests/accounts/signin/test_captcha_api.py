"""POST /api/captcha: docs/api.md#captcha-rules."""

import pytest

from accounts.models import Captcha, User
from tests.accounts.page_forms import ApiOf, answer_of, instance
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
PATH = "/api/captcha"


def test_the_answer_describes_the_captcha(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).post(PATH))
    assert isinstance(answer.pop("note"), str)
    assert answer == {"policy": "always", "length": 4, "ttl_seconds": 300, "image_url": "/captcha.png"}


def test_the_answer_has_the_settings_of_the_instance(alice: User, api_of: ApiOf) -> None:
    instance(captcha_policy="on_failure", captcha_length="6")
    answer = answer_of(api_of(alice).post(PATH))
    assert (answer["policy"], answer["length"]) == ("on_failure", 6)


def test_it_makes_no_captcha(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH)
    assert not Captcha.objects.exists()


def test_the_length_is_that_of_the_pictures(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr("accounts.signin.captcha.draw", lambda answer: drawn.append(answer) or b"")  # type: ignore[func-returns-value]
    instance(captcha_length="7")
    anonymous.get("/captcha.png")
    assert [len(answer) for answer in drawn] == [7]


def test_anonymous_is_401_and_a_get_405(alice: User, anonymous: ApiClient, api_of: ApiOf) -> None:
    assert anonymous.post(PATH).status_code == 401
    refused = api_of(alice).get(PATH)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


def test_without_the_token_it_is_400(anonymous: ApiClient) -> None:
    assert anonymous.client.post(PATH).status_code == 400
