"""Limits and sessions over both web nodes: exact, and valid on each."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import requests
from django.conf import settings

from archive_site.lib.http.rate_limits import READS
from tests.factories import PASSWORD
from tests.soaks.nodes.clients import TOKEN, get, post
from tests.soaks.nodes.instance import Filled, Node

ALLOWED = int(READS.partition("/")[0])
TRIES = 10
AT_ONCE = 8
# Cheap, and counted like every read.
PATH = "/api/views"


def sign_in(node: Node, name: str, password: str) -> tuple[int, str]:
    """The status of a sign-in, and the key of the session that it gave."""
    form = {"username": name, "password": password, "_csrf": TOKEN}
    cookies = {settings.CSRF_COOKIE_NAME: TOKEN}
    answer = requests.post(f"{node.url}/login", data=form, cookies=cookies, timeout=60, allow_redirects=False)
    return answer.status_code, answer.cookies.get(settings.SESSION_COOKIE_NAME) or ""


def sessions(filled: Filled) -> Iterator[str]:
    """A session of one node is valid on the other, and ends on both at once."""
    one, other = filled.instance.web
    for number, (here, there) in enumerate([(one, other), (other, one)]):
        status, session = sign_in(here, f"account-{number}", PASSWORD)
        if status != 302:
            yield f"a sign-in on {here.name} was answered {status}"
            continue
        if get(there, PATH, session).status_code != 200:
            yield f"a session of {here.name} is not valid on {there.name}"
        ended = post(there, "/logout", session)
        after = [get(node, PATH, session).status_code for node in (here, there)]
        if ended.status_code not in (200, 302) or after != [401, 401]:
            yield f"a session that ended on {there.name} is answered {after}"


def reads(filled: Filled) -> Iterator[str]:
    """Of many reads of an account at once, on both nodes, exactly as many are answered as are allowed in a minute."""
    session = filled.sessions[filled.accounts[-1]]
    nodes = filled.instance.web
    # The first refusal says when the next minute begins.
    while (answer := get(nodes[0], PATH, session)).status_code != 429:
        answer.raise_for_status()
    time.sleep(int(answer.headers["Retry-After"]) + 0.5)
    begun = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        turns = islice(cycle(nodes), ALLOWED + 60)
        found = Counter(pool.map(lambda node: get(node, PATH, session).status_code, turns))
    if time.monotonic() - begun > 50:
        yield "the reads took longer than the minute that they were to be counted in"
    if found != {200: ALLOWED, 429: 60}:
        yield f"of {ALLOWED + 60} reads {dict(found)}"


def failed_sign_ins(filled: Filled) -> Iterator[str]:
    """After ten wrong passwords, on both nodes in turn, the right one is refused on both."""
    nodes = filled.instance.web
    wrong = [sign_in(node, "account-2", "not this one 1")[0] for node in islice(cycle(nodes), TRIES)]
    right = [sign_in(node, "account-2", PASSWORD)[0] for node in nodes]
    if wrong != [400] * TRIES or right != [429, 429]:
        yield f"wrong passwords were answered {wrong}, then the right one {right}"
