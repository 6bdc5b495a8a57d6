"""ntfy: a topic of ntfy.sh or of another server. https://docs.ntfy.sh/publish/#publish-as-json"""

import base64
import re
from urllib.parse import urlencode

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import IncompleteError, Post, Target, Url, authorization, in_path

SERVICE = "ntfy"
HOSTS = ("ntfy.sh",)
# Where the site itself stands.
_SITE = "app"
TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
_ANSWER = Answer(code="code", words="error")
# A longer message becomes an attachment.
_MOST = 4096


def read(url: Url) -> Target:
    """The topic of an address; those of ntfy.sh may end with how one reads it. Raises IncompleteError."""
    is_known = url.host in HOSTS
    segments = url.segments
    if is_known:
        segments = segments[1:2] if segments[:1] == (_SITE,) else segments[:1]
    if not segments or not TOPIC.fullmatch(segments[-1]):
        raise IncompleteError("topic", f"{url.origin}/topic")
    *path, topic = segments
    root = "/".join([f"https://{HOSTS[0]}" if is_known else url.origin, *map(in_path, path)])
    # Such as priority and tags; what is in the JSON goes before it.
    query = f"?{urlencode(url.query)}" if url.query else ""

    def post(title: str, text: str, _: float) -> Post:
        content = {"topic": topic, "title": title, "message": text}
        return Post(f"{root}/{query}", content, authorization(url))

    secrets = (topic, *_signed_in(url.query.get("auth", "")), url.user, url.password)
    return Target(SERVICE, post, _MOST, secrets, _ANSWER)


def _signed_in(auth: str) -> tuple[str, ...]:
    """The parameter `auth`, and the token, or the user and password, that it encodes.

    https://docs.ntfy.sh/publish/#query-param
    """
    token = _decoded(auth).rpartition(" ")[2]
    return (auth, token, *_decoded(token).split(":", 1))


def _decoded(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text + "==").decode()
    except ValueError:
        return ""
