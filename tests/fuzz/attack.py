"""Sends random requests from several threads, and checks each answer and the log."""

import http.client
import random
import re
import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.shapes import Request, Shapes
from tests.fuzz.target import Person, Target

SLOWEST = 5.0
THREADS = 6
# Answers 429 may be fewer than a fifth.
MOST_REFUSED = 0.2
_SHOWN = 20
# Requests that would end the test itself: they sign out, or change who may sign in.
_SPARED = re.compile(r"^(logout|admin/logout/|api/users/<[^>]+>(/delete)?|api/sessions/end-others)$")
_WORD = re.compile(rb"only[0-9a-f]{12}")


@dataclass
class Tally:
    """What was answered, and everything that was wrong. An answer may take `limit` seconds."""

    limit: float = SLOWEST
    statuses: Counter[int] = field(default_factory=Counter)
    by_whom: Counter[str] = field(default_factory=Counter)
    # Sessions of accounts that ended.
    ended: int = 0
    slowest: float = 0.0
    slowest_line: str = ""
    wrong: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return self.statuses.total()

    @property
    def refused_share(self) -> float:
        return self.statuses[429] / max(1, self.requests)

    def lines(self) -> list[str]:
        statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(self.statuses.items()))
        return [
            f"{self.requests:,} requests ({dict(self.by_whom)}): {statuses}",
            f"429: {self.refused_share:.1%}; slowest {self.slowest:.2f} s: {self.slowest_line[:200]}",
            f"{self.ended} sessions ended, {len(self.wrong)} wrong",
            *self.wrong[:_SHOWN],
        ]


class Attacker:
    """One thread: a connection, and requests as nobody, as accounts, and as the administrator in turn."""

    def __init__(self, target: Target, tally: Tally, lock: threading.Lock, seed: int, people: list[Person]) -> None:
        routes = [route for route in target.routes if not _SPARED.match(route)]
        self.shapes = Shapes(routes, target.columns, seed)
        self.dice = random.Random(seed)
        self.target, self.tally, self.lock, self.people = target, tally, lock, people
        self.token = secrets.token_hex(16)
        self.connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=tally.limit * 6)
        self.secrets = [secret.encode() for secret in target.secrets]

    def attack(self, requests: int) -> None:
        for _ in range(requests):
            who = self._somebody()
            self._try(who, self.shapes.request(self.token))

    def _somebody(self) -> Person | None:
        kind = self.dice.random()
        if kind < 0.15:
            return None
        # The administrator is the first; only there is the admin site answered.
        return self.people[0] if kind < 0.3 else self.dice.choice(self.people)

    def _try(self, who: Person | None, request: Request) -> None:
        cookies = f"{self.target.csrf_cookie}={self.token}"
        if who and who.sessions:
            cookies += f"; {self.target.session_cookie}={who.sessions[0]}"
        began = time.monotonic()
        try:
            status, answer = self._send(request, cookies)
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            status, answer = 0, repr(error).encode()
        seconds = time.monotonic() - began
        with self.lock:
            self._note(who, request, status, answer, seconds)

    def _send(self, request: Request, cookies: str) -> tuple[int, bytes]:
        headers = {"Cookie": cookies, **request.headers}
        if self.connection.sock is None:
            self.connection.connect()
        self.connection.request(request.method, request.path, request.body, headers)
        response = self.connection.getresponse()
        return response.status, str(response.headers).encode("latin-1", "replace") + b"\n\n" + response.read()

    def _note(self, who: Person | None, request: Request, status: int, answer: bytes, seconds: float) -> None:
        tally, name = self.tally, who.name if who else "nobody"
        tally.statuses[status] += 1
        tally.by_whom["nobody" if not who else "administrator" if who is self.people[0] else "users"] += 1
        if seconds > tally.slowest:
            tally.slowest, tally.slowest_line = seconds, request.line()
        foreign = foreign_words(answer, who.word if who else "")
        if who is self.people[0] and request.path.startswith("/admin/"):
            # The admin site shows the records of all accounts, without their prompts.
            foreign = {word for word in foreign if word + b" asks for" in answer}
        faults = {
            "an unexpected failure": status in (0, 500),
            f"answered after {seconds:.1f} s": seconds > tally.limit,
            "data of another account": bool(foreign),
            "a secret": any(secret in answer for secret in self.secrets),
        }
        tally.wrong += [f"{fault}: {status} for {name}: {request.line()}" for fault, is_so in faults.items() if is_so]
        if who and status == 401:
            # The session has ended; the next request has another.
            tally.ended += 1
            who.sessions.pop(0)


def attack(target: Target, requests: int, seed: int, limit: float = SLOWEST) -> Tally:
    """Send this number of requests, and check the log afterwards. An answer may take `limit` seconds."""
    tally, lock = Tally(limit), threading.Lock()
    attackers = [Attacker(target, tally, lock, seed * 1000 + number, target.people) for number in range(THREADS)]
    threads = [threading.Thread(target=one.attack, args=[requests // THREADS]) for one in attackers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally.wrong += faults_in_log(target)
    if tally.refused_share > MOST_REFUSED:
        tally.wrong.append(f"{tally.refused_share:.1%} of the answers are 429")
    return tally


def faults_in_log(target: Target) -> list[str]:
    """Tracebacks and secrets in what the instance has logged and printed."""
    text = target.log_text()
    lines = [number for number, line in enumerate(text.splitlines()) if line.startswith("Traceback")]
    found = [f"a traceback in the log, line {number}" for number in lines]
    return found + [f"a secret in the log: ...{secret[-4:]}" for secret in target.secrets if secret in text]


def foreign_words(answer: bytes, word: str = "") -> set[bytes]:
    """The words of other accounts in an answer to the account with this word."""
    return set(_WORD.findall(answer)) - {word.encode()}
