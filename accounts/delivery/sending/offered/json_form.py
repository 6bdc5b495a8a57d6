"""A program of the account's owner: any address, which gets a JSON object (docs/api.md#addresses-of-notices)."""

from accounts.delivery.sending.offered.service import Post, Target

SERVICE = "json"
_MOST = 32_768


def target(address: str) -> Target:
    """The address as it is, also a query that its owner needs."""

    def post(title: str, text: str, _: float) -> Post:
        # As the addresses json:// are sent.
        content = {"version": "1.0", "title": title, "message": text, "attachments": [], "type": "info"}
        return Post(address, content)

    return Target(SERVICE, post, _MOST)
