"""GET and POST /register: its switch and its limits (docs/api.md#register)."""

from datetime import timedelta

import pytest

from accounts.models import User
from accounts.signin.throttling import MOST_BY_NAME, count_try
from archive_site.lib import clock
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, instance, page, register
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
ELSEWHERE = "192.0.2.7"


@pytest.fixture
def open_to_all(no_captcha: None) -> None:
    instance(allow_register="1", register_max_per_ip="2")


def test_it_is_closed_unless_the_instance_opens_it(anonymous: ApiClient) -> None:
    response = anonymous.get("/register")
    assert response.status_code == 403
    assert "closed" in page(response)
    assert register(anonymous, "carol").status_code == 403
    assert not User.objects.exists()


def test_the_login_page_leads_there_only_when_open(anonymous: ApiClient) -> None:
    assert 'href="/register"' not in page(anonymous.get("/login"))
    instance(allow_register="1")
    assert 'href="/register"' in page(anonymous.get("/login"))


@pytest.mark.usefixtures("open_to_all")
def test_a_new_account_is_signed_in(anonymous: ApiClient) -> None:
    response = register(anonymous, "carol", email="c@example.org", display_name="Carol C")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert anonymous.get("/config").status_code == 200
    carol = User.objects.get()
    assert (carol.display_name, carol.email, carol.register_ip) == ("Carol C", "c@example.org", "127.0.0.1")


@pytest.mark.usefixtures("open_to_all")
def test_a_registration_is_in_the_audit_log(anonymous: ApiClient) -> None:
    register(anonymous, "carol")
    entry = Entry.objects.get(action="register")
    assert (entry.actor, entry.user_id, entry.ip) == ("carol", User.objects.get().pk, "127.0.0.1")


@pytest.mark.usefixtures("open_to_all")
def test_nobody_registers_as_an_administrator(anonymous: ApiClient) -> None:
    register(anonymous, "carol", is_admin="1", is_staff="1", is_superuser="on", status="active", role="admin")
    assert not User.objects.get().is_admin


@pytest.mark.usefixtures("open_to_all")
def test_the_token_is_needed(anonymous: ApiClient) -> None:
    fields = {"username": "carol", "password": PASSWORD, "password2": PASSWORD}
    assert anonymous.client.post("/register", fields).status_code == 400
    assert not User.objects.exists()


@pytest.mark.usefixtures("open_to_all")
@pytest.mark.parametrize(
    ("field", "value", "beside"),
    [
        ("username", "a", "username"), ("username", "_carol", "username"), ("username", "аdmin", "username"),
        ("password", "short", "password2"), ("password2", "other Horse 7", "password2"), ("email", "nobody", "email"),
    ],
)  # fmt: skip
def test_an_error_is_said_beside_its_field_and_the_rest_is_kept(
    field: str, value: str, beside: str, anonymous: ApiClient
) -> None:
    response = register(anonymous, **{"username": "carol", "display_name": "Carol C", field: value})
    assert response.status_code == 400
    assert f'id="id_{beside}_error"' in page(response)
    assert 'value="Carol C"' in page(response)
    assert PASSWORD not in page(response)


@pytest.mark.usefixtures("open_to_all")
def test_a_name_that_is_taken_is_said_beside_the_name(alice: User, anonymous: ApiClient) -> None:
    response = register(anonymous, "ALICE")
    assert response.status_code == 400
    assert "taken" in page(response).split('id="id_username_error"')[1]


@pytest.mark.usefixtures("open_to_all")
def test_the_last_place_of_an_address_is_given_and_no_more(anonymous: ApiClient) -> None:
    codes = [register(ApiClient(), name, ELSEWHERE).status_code for name in ("carol", "dave", "erin")]
    assert codes == [302, 302, 429]
    assert register(anonymous, "frank").status_code == 302


@pytest.mark.engine
@pytest.mark.usefixtures("open_to_all")
def test_a_passed_limit_says_when_to_come_again(time: SetClock) -> None:
    now = clock.now()
    time.now = now
    for name in ("carol", "dave"):
        register(ApiClient(), name)
    User.objects.update(created_at=now)
    time.now = now + timedelta(hours=1)
    response = register(ApiClient(), "erin")
    assert response.status_code == 429
    assert abs(int(response.headers["Retry-After"]) - 23 * 3600) < 3
    assert "Wait 23 hours" in page(response)


@pytest.mark.engine
@pytest.mark.usefixtures("open_to_all")
def test_a_place_is_free_again_after_24_hours(anonymous: ApiClient) -> None:
    for name in ("carol", "dave"):
        register(ApiClient(), name)
    User.objects.filter(username="carol").update(created_at=clock.now() - timedelta(hours=24, seconds=1))
    assert register(anonymous, "erin").status_code == 302
    assert register(ApiClient(), "frank").status_code == 429


@pytest.mark.usefixtures("open_to_all")
def test_failed_registrations_take_no_place(anonymous: ApiClient) -> None:
    for _ in range(5):
        register(anonymous, "carol", password2="other Horse 7")
    assert register(anonymous, "carol").status_code == 302


def test_zero_is_no_limit() -> None:
    instance(allow_register="1", register_max_per_ip="0")
    assert {register(ApiClient(), f"carol{n}").status_code for n in range(5)} == {302}


@pytest.mark.usefixtures("open_to_all")
def test_who_is_signed_in_is_led_to_the_overview(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert visitor.get("/register").headers["Location"] == "/"
    assert register(visitor, "carol").headers["Location"] == "/"
    assert User.objects.count() == 1


@pytest.mark.usefixtures("open_to_all")
def test_a_name_under_throttle_registers_and_is_led_to_the_login(anonymous: ApiClient) -> None:
    for _ in range(MOST_BY_NAME):
        count_try("carol", ELSEWHERE)
    response = register(anonymous, "carol")
    assert (response.status_code, response.headers["Location"]) == (302, "/login")
    assert User.objects.get().username == "carol"


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_gets_the_last_place_of_an_address() -> None:
    instance(captcha_policy="off", allow_register="1", register_max_per_ip="1")
    visitors = [lambda n=n: register(ApiClient(), f"carol-{n}").status_code for n in range(5)]
    assert sorted(together(*visitors)) == [302, 429, 429, 429, 429]
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_gets_a_name() -> None:
    instance(captcha_policy="off", allow_register="1", register_max_per_ip="0")
    names = ("carol", "CAROL", "ｃａｒｏｌ", "carol ", "càrol")
    codes = together(*[lambda name=name: register(ApiClient(), name).status_code for name in names])
    assert sorted(codes) == [302, 400, 400, 400, 400]
    assert User.objects.count() == 1
