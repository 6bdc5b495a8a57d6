"""`make screenshots` leaves out no page."""

from urllib.parse import urlsplit

from django.urls import URLPattern, URLResolver, get_resolver, resolve

from tests.browser import screenshots

PLACES = {"record": "r1", "invitation": "/invitation/token", "first_run": "/first-run/token"}
# Pictures and files, what only leads elsewhere, and where `/summaries/month` leads.
NO_PAGES = {
    "account_export", "app_manifest", "captcha", "common_passwords", "kept_export", "logout", "openapi", "openid_begin",
    "openid_callback", "passkey_options", "report", "summary",
}  # fmt: skip


def names_in(resolver: URLResolver) -> set[str]:
    """The names of the routes, but those of the admin site."""
    names = {each.name for each in resolver.url_patterns if isinstance(each, URLPattern) and each.name}
    within = [each for each in resolver.url_patterns if isinstance(each, URLResolver) and not each.namespace]
    return names.union(*map(names_in, within))


def test_every_page_is_drawn() -> None:
    drawings = (screenshots.FULL, screenshots.ANONYMOUS, screenshots.UNUSED, screenshots.EMPTY, screenshots.HALF_IN)
    pages = {name: path for drawing in drawings for name, path in drawing.items()}
    del pages["not-found"]
    drawn = {resolve(urlsplit(path.format(**PLACES)).path).url_name for path in pages.values()}
    assert names_in(get_resolver()) - NO_PAGES - drawn == set()
