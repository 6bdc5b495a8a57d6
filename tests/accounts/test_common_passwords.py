"""GET /common-passwords.txt, in which pages look new passwords up: docs/api.md#common-passwords."""

import gzip

from django.test import Client

from accounts.passwords.password_warnings import warning

PATH = "/common-passwords.txt"


def test_the_list_is_the_one_that_the_server_warns_by(client: Client) -> None:
    lines = client.get(PATH).content.decode().splitlines()
    assert "password1" in lines
    assert len(lines) > 5000
    assert [one for one in lines[::100] if not warning(one.title(), "")] == []


def test_it_is_open_kept_and_the_same_for_all(client: Client) -> None:
    response = client.get(PATH)
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "public, max-age=86400"
    assert "Accept-Encoding" in response.headers["Vary"]
    assert "Set-Cookie" not in str(response.headers)


def test_it_is_small_for_clients_that_take_gzip(client: Client) -> None:
    small = client.get(PATH, headers={"Accept-Encoding": "gzip"})
    assert small.headers["Content-Encoding"] == "gzip"
    assert len(small.content) < 40_000
    assert gzip.decompress(small.content) == client.get(PATH).content
