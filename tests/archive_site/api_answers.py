"""Shared by tests of the conventions of the API: what a refusal says."""

from typing import Any


def refusal(response: Any) -> tuple[int, str]:
    body = response.json()
    assert (body["ok"], set(body) >= {"error", "message"}) == (False, True)
    return response.status_code, body["error"]
