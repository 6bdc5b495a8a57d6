"""One POST of an event to a webhook, beneath the same guard as notices. Only the child loads this module."""

import requests
import urllib3

from accounts.delivery.sending.exchanges import ADDRESS, Exchanges, Failure


def post(url: str, headers: dict[str, str], body: str, seconds: float, exchanges: Exchanges) -> Failure | None:
    """Send it; None where the receiver answered with a status of success. A redirect is not followed."""
    try:
        requests.Session().post(url, data=body.encode(), headers=headers, timeout=seconds, allow_redirects=False)
    # Odd addresses fail in these ways, some before there is a request.
    except (OSError, ValueError, urllib3.exceptions.HTTPError):
        return exchanges.failure or ADDRESS
    return exchanges.failure
