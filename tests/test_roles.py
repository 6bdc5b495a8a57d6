"""Every URL of the project, requested in every role: docs/api.md#accounts-and-roles.

A route without a row in the table fails. Each gets a GET and a POST with the CSRF token and an empty body.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Setting, User
from archive_site.lib import clock
from audit import log
from audit.models import Entry
from collection.models import Run
from tests.accounts.second_factor.factors_of import half_in, with_codes
from tests.accounts.webhooks.hooks import make_webhook
from tests.factories import ApiClient, further_archive
from tests.tokens import make_token
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.models import Record, SavedView

# Status of GET and of POST for an anonymous visitor, an ordinary account, an administrator.
Row = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]

PAGE: Row = ((302, 405), (200, 405), (200, 405))
READ: Row = ((401, 401), (200, 405), (200, 405))
CHANGE: Row = ((401, 401), (405, 400), (405, 400))
ADMIN_PAGE: Row = ((302, 302), (302, 302), (200, 200))
ADMIN_VIEW: Row = ((302, 302), (302, 302), (200, 405))
# Rows are read-only.
ADMIN_ROW: Row = ((302, 302), (302, 302), (200, 403))
ADMIN_NO_ROW: Row = ((302, 302), (302, 302), (302, 403))
ADMIN_NEVER: Row = ((302, 302), (302, 302), (403, 403))
ADMIN_UNKNOWN: Row = ((302, 302), (302, 302), (404, 404))
ELSEWHERE: Row = ((302, 302), (302, 302), (302, 302))

TABLE: dict[str, Row] = {
    "": PAGE,
    "app.webmanifest": ((200, 405), (200, 405), (200, 405)),
    "service-worker.js": ((200, 405), (200, 405), (200, 405)),
    "offline": ((200, 405), (200, 405), (200, 405)),
    "login": ((200, 400), (302, 400), (302, 400)),
    "logout": ELSEWHERE,
    # Nobody is half in; the instance has no origin for passkeys.
    "second-factor": ELSEWHERE,
    "second-factor/passkey": ((405, 404), (405, 404), (405, 404)),
    # The instance has no provider.
    "openid/begin": ((404, 404), (404, 404), (404, 404)),
    "openid/callback": ((404, 404), (404, 404), (404, 404)),
    "register": ((403, 403), (302, 302), (302, 302)),
    "first-run/<str:token>": ((404, 404), (404, 404), (404, 404)),
    "invitation/<str:token>": ((404, 404), (404, 404), (404, 404)),
    "captcha.png": ((200, 405), (200, 405), (200, 405)),
    "common-passwords.txt": ((200, 405), (200, 405), (200, 405)),
    "runs": PAGE,
    # As in the API, an administrator sees only the runs of their own account.
    "runs/<number:run_id>": ((302, 405), (200, 405), (404, 405)),
    # The run is no verification.
    "runs/<number:run_id>/report": ((302, 405), (404, 405), (404, 405)),
    "import": PAGE,
    "archives": PAGE,
    "config": PAGE,
    "config/instance": ((302, 405), (403, 405), (200, 405)),
    "profile": PAGE,
    "notices": PAGE,
    "repeated": PAGE,
    "packages": PAGE,
    "summaries/<str:kind>": ((302, 405), (302, 405), (302, 405)),
    "summaries/<str:kind>/<str:day>": PAGE,
    "statements/<str:month>": PAGE,
    "reauthenticate": ((302, 302), (200, 400), (200, 400)),
    "users": ((302, 405), (403, 405), (200, 405)),
    "audit": PAGE,
    "logs": ((302, 405), (403, 405), (200, 405)),
    "logs/tail": ((302, 405), (403, 405), (200, 405)),
    "backups": ((302, 405), (403, 405), (200, 405)),
    "records": PAGE,
    "records/export": PAGE,
    "exports/<str:name>": ((302, 405), (404, 405), (404, 405)),
    "api/summary": READ,
    "api/daily": READ,
    "api/dims": READ,
    "api/changes": READ,
    "api/coverage": READ,
    "api/bills": READ,
    "api/packages": READ,
    "api/orders": READ,
    "api/forecast": READ,
    "api/notices": ((401, 401), (200, 200), (200, 200)),
    "api/notices/sent": READ,
    "api/notices/test": ((401, 401), (405, 404), (405, 404)),
    "api/budgets": ((401, 401), (200, 400), (200, 400)),
    # As with views: it belongs to the ordinary account.
    "api/budgets/<number:budget_id>/delete": ((401, 401), (405, 200), (405, 404)),
    "api/top": READ,
    "api/repeated": READ,
    "api/bundle": READ,
    "api/records": READ,
    "api/records/<anything:request_id>": READ,
    "api/views": ((401, 401), (200, 400), (200, 400)),
    # The view belongs to the ordinary account, which deletes it last.
    "api/views/<number:view_id>": ((401, 401), (405, 400), (405, 404)),
    "api/views/<number:view_id>/delete": ((401, 401), (405, 200), (405, 404)),
    "api/runs": READ,
    # An administrator sees only their own runs; this one belongs to the ordinary account.
    "api/runs/<number:run_id>": ((401, 401), (200, 405), (404, 405)),
    # The run has already ended.
    "api/runs/<number:run_id>/stop": ((401, 401), (405, 409), (405, 404)),
    "api/maintenance/": ((401, 401), (405, 404), (405, 404)),
    "api/maintenance/<anything:action>": ((401, 401), (405, 200), (405, 200)),
    "api/manifest": READ,
    "api/status": READ,
    "api/tokens": ((401, 401), (200, 400), (200, 400)),
    # As with views.
    "api/tokens/<number:token_id>/revoke": ((401, 401), (405, 200), (405, 404)),
    "api/archives": ((401, 401), (200, 400), (200, 400)),
    "api/archives/totals": READ,
    # The archive is the user's; without a label, a credential.
    "api/archives/<number:archive_id>": ((401, 401), (405, 200), (405, 404)),
    "api/archives/<number:archive_id>/test": ((401, 401), (405, 409), (405, 404)),
    "api/archives/<number:archive_id>/delete": ((401, 401), (405, 400), (405, 404)),
    "api/webhooks": ((401, 401), (200, 400), (200, 400)),
    # As with views.
    "api/webhooks/<number:webhook_id>": ((401, 401), (405, 400), (405, 400)),
    "api/webhooks/<number:webhook_id>/delete": ((401, 401), (405, 200), (405, 404)),
    "api/webhooks/<number:webhook_id>/test": ((401, 401), (405, 200), (405, 404)),
    "api/openapi.json": READ,
    "api/docs": PAGE,
    "api/settings": ((401, 401), (200, 200), (200, 200)),
    "api/password": CHANGE,
    "api/password/notice": ((401, 401), (405, 200), (405, 200)),
    "api/profile": CHANGE,
    "api/reauthenticate": CHANGE,
    "api/sessions/end-others": ((401, 401), (405, 200), (405, 200)),
    "api/captcha": ((401, 401), (405, 200), (405, 200)),
    "api/second-factor": READ,
    # None of these sessions has given its password lately.
    "api/second-factor/codes": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/codes/confirm": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/codes/remove": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/recovery": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/passkeys": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/passkeys/options": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/passkeys/alone": ((401, 401), (405, 403), (405, 403)),
    "api/second-factor/passkeys/<number:passkey_id>/remove": ((401, 401), (405, 403), (405, 403)),
    # The account has none.
    "api/account/delete": CHANGE,
    "api/privacy": ((401, 401), (200, 403), (200, 403)),
    "api/privacy/apply": ((401, 401), (405, 403), (405, 403)),
    "api/retention": ((401, 401), (200, 403), (200, 403)),
    "api/retention/preview": ((401, 401), (405, 400), (405, 400)),
    "api/openid": ((401, 401), (404, 405), (404, 405)),
    "api/openid/remove": ((401, 401), (405, 403), (405, 403)),
    "api/users/<number:user_id>/openid": ((401, 401), (403, 403), (405, 403)),
    "api/users/<number:user_id>/second-factor/reset": ((401, 401), (403, 403), (405, 403)),
    "api/import": CHANGE,
    "api/account/export": READ,
    # Without a cookie.
    "api/collect": ((401, 401), (405, 409), (405, 409)),
    # Without workers.
    "api/collect/older": ((401, 401), (405, 503), (405, 503)),
    "api/verify": ((401, 401), (405, 503), (405, 503)),
    "api/credential/test": ((401, 401), (405, 409), (405, 409)),
    "api/users": ((401, 401), (403, 403), (200, 400)),
    "api/users/invitations": ((401, 401), (403, 403), (200, 200)),
    "api/users/invitations/<number:invitation_id>/revoke": ((401, 401), (403, 403), (405, 404)),
    "api/users/<number:user_id>": ((401, 401), (403, 403), (405, 400)),
    "api/users/<number:user_id>/delete": ((401, 401), (403, 403), (405, 200)),
    "api/audit": READ,
    "api/backups": ((401, 401), (403, 403), (200, 200)),
    "api/backups/prune": ((401, 401), (403, 403), (405, 200)),
    # The name is not that of a backup.
    "api/backups/<anything:name>": ((401, 401), (403, 403), (400, 405)),
    "api/backups/<anything:name>/check": ((401, 401), (403, 403), (405, 400)),
    "api/backups/<anything:name>/restore": ((401, 401), (403, 403), (405, 400)),
    "api/backups/<anything:name>/delete": ((401, 401), (403, 403), (405, 400)),
    r"^api/(?P<rest>(?s:.*))\Z": ((401, 401), (404, 404), (404, 404)),
    "admin/": ADMIN_PAGE,
    # Redirecting a signed-in visitor to the sign-in would loop.
    "admin/login/": ((302, 302), (403, 403), (302, 302)),
    "admin/logout/": ELSEWHERE,
    "admin/password_change/": ELSEWHERE,
    "admin/password_change/done/": ADMIN_VIEW,
    "admin/autocomplete/": ((302, 302), (302, 302), (403, 405)),
    "admin/jsi18n/": ADMIN_VIEW,
    "admin/r/<path:content_type_id>/<path:object_id>/": ADMIN_UNKNOWN,
    "admin/^(?P<app_label>…)/$": ADMIN_PAGE,
    "admin/(?P<url>.*)$": ADMIN_UNKNOWN,
}  # fmt: skip
WITH_ROWS = ("accounts/user", "accounts/setting", "audit/entry", "usage/record", "collection/run")
WITHOUT = ("django_q/success", "django_q/failure", "django_q/ormq")
for model in WITH_ROWS + WITHOUT:
    has_row = model in WITH_ROWS
    TABLE |= {
        f"admin/{model}/": ADMIN_PAGE,
        f"admin/{model}/add/": ADMIN_NEVER,
        f"admin/{model}/<path:object_id>/": ELSEWHERE,
        f"admin/{model}/<path:object_id>/delete/": ADMIN_NEVER,
        f"admin/{model}/<path:object_id>/change/": ADMIN_ROW if has_row else ADMIN_NO_ROW,
        f"admin/{model}/<path:object_id>/history/": ADMIN_PAGE if has_row else ELSEWHERE,
    }


def routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield re.sub(r"(\?P<app_label>)[^)]*", r"\1…", route)
        else:
            yield from routes(pattern, route)


@pytest.fixture
def ids() -> dict[str, Any]:
    """One row of each kind that a route may name; the account to change is none of the three."""
    user, target = made("user"), made("target")
    archive(user, call("r1"))
    archive(admin := made("admin", is_admin=True), call("r1"))
    log.record("login", actor="target", user_id=target.pk)
    rows = {
        "accounts/user": target.pk,
        "accounts/setting": Setting.objects.create(key="page_size", value="50", updated_at=clock.now()).pk,
        "audit/entry": Entry.objects.get().pk,
        "usage/record": Record.objects.filter(archive_id=user.pk).get().pk,
        "collection/run": Run.objects.create(
            archive_id=user.pk, trigger="manual", status="ok", created_at=clock.now().replace(year=2020)
        ).pk,
    }
    assert admin.pk
    named = {"request_id": "r1", "token": "x", "action": "recount", "kind": "week", "day": "2026-08-31"}
    named["month"] = "2026-08"
    named["view_id"] = str(SavedView.objects.create(user_id=user.pk, name="mine", query="free=1").pk)
    named["budget_id"] = str(stored_budgets.create(user.pk, {"period": "day", "credits": 1}).pk)
    named["token_id"] = str(make_token(user)[0].pk)
    named["archive_id"] = str(further_archive(user))
    named["webhook_id"] = str(make_webhook(user)[0].pk)
    return {
        **rows,
        **named,
        "user_id": target.pk,
        "run_id": rows["collection/run"],
        "name": "none.csv",
        "invitation_id": 1,
        "passkey_id": 1,
    }


def made(name: str, **fields: Any) -> User:
    # No test signs in with this password, and hashing one is slow.
    return User.objects.create(username=name, password="!", **fields)


def path_of(route: str, ids: dict[str, Any]) -> str:
    path = re.sub(r"\(\?P<app_label>.*?\)", "accounts", route)
    path = re.sub(r"\(\?P<(?:url|rest)>.*?\)", "unknown", path).replace("^", "").replace("$", "")
    model = next((model for model in WITH_ROWS if f"admin/{model}/" in path), "")
    values = {"object_id": ids.get(model, 1), "content_type_id": 1, **ids}
    return "/" + re.sub(r"<\w+:(\w+)>", lambda found: str(values[found[1]]), path)


def visitor(role: str) -> ApiClient:
    return ApiClient() if role == "anonymous" else ApiClient.signed_in(User.objects.get(username=role))


def asked(path: str, role: str) -> tuple[int, int]:
    read = visitor(role).get(path).status_code
    writing = visitor(role)
    if path.startswith("/api/"):
        return read, writing.post(path).status_code
    return read, writing.client.post(path, {"_csrf": writing.token}).status_code


def administered() -> list[Any]:
    """The data that only administrators may change."""
    return [list(User.objects.values()), list(Setting.objects.values()), list(Record.objects.values())]


ROUTES = sorted(set(routes(get_resolver())))


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    assert set(ROUTES) == set(TABLE)


@pytest.mark.django_db
@pytest.mark.parametrize("route", ROUTES)
def test_each_role_gets_what_the_table_says(route: str, ids: dict[str, Any]) -> None:
    path = path_of(route, ids)
    before = administered()
    answers = [asked(path, role) for role in ("anonymous", "user")]
    assert administered() == before
    assert (*answers, asked(path, "admin")) == TABLE[route]


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("role", ["user", "admin"])
def test_a_session_of_a_disabled_account_is_an_anonymous_visitors_everywhere(role: str, ids: dict[str, Any]) -> None:
    signed_in = visitor(role)
    User.objects.filter(username=role).update(status=User.DISABLED)
    cookies = signed_in.client.cookies.output()
    for route in ROUTES:
        path = path_of(route, ids)
        for method, expected in zip((signed_in.get, signed_in.post), TABLE[route][0], strict=False):
            signed_in.client.cookies.load(cookies.replace("Set-Cookie: ", ""))
            assert method(path).status_code == expected, path


@pytest.mark.django_db
@pytest.mark.usefixtures("no_captcha")
def test_a_session_between_password_and_second_factor_is_an_anonymous_visitors_everywhere_else(
    ids: dict[str, Any], alice: User
) -> None:
    with_codes(alice)
    waiting = half_in(alice)
    cookies = waiting.client.cookies.output().replace("Set-Cookie: ", "")
    for route in ROUTES:
        expected = (200, 400) if route == "second-factor" else TABLE[route][0]
        path = path_of(route, ids)
        for method, status in zip(("get", "post"), expected, strict=True):
            waiting.client.cookies.load(cookies)
            if method == "get":
                answer = waiting.get(path)
            elif path.startswith("/api/"):
                answer = waiting.post(path)
            else:
                answer = waiting.client.post(path, {"_csrf": waiting.token})
            assert answer.status_code == status, (method, path)
            if route in ("logout", "admin/logout/", "login"):
                # It has ended, or begun anew.
                waiting = half_in(alice)
                cookies = waiting.client.cookies.output().replace("Set-Cookie: ", "")


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("route", ROUTES)
def test_a_post_without_the_csrf_token_is_refused(route: str, ids: dict[str, Any]) -> None:
    before = administered()
    assert visitor("admin").client.post(path_of(route, ids)).status_code in (302, 400)
    assert administered() == before
