"""Who sends the random requests: nobody, accounts, administrators, and tokens of each scope.

A random request may end a session, a token or an account. Then somebody else takes the place.
"""

import random
import secrets
from enum import StrEnum
from itertools import count
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from tests.fuzz.target import Person, Target

USERS, ADMINISTRATORS, TOKENS = 40, 8, 12
SECONDS = 60


class Role(StrEnum):
    NOBODY = "nobody"
    USER = "user"
    ADMINISTRATOR = "administrator"
    READ = "read"
    COLLECT = "collect"
    EXPORT = "export"

    @property
    def is_token(self) -> bool:
        return self in (Role.READ, Role.COLLECT, Role.EXPORT)


class _OwnAddress(HTTPAdapter):
    """Connects from an address of its own, since some limits are those of an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, source_address=(self._address, 0), **options)


class Visitor:
    """Somebody with cookies and an address of their own; `person` is None for nobody."""

    def __init__(self, target: Target, role: Role, number: int, person: Person | None = None, token: str = "") -> None:
        self.target, self.role, self.person = target, role, person
        self.session = requests.Session()
        self.session.mount("http://", _OwnAddress(f"127.1.{number // 250 % 250}.{number % 250 + 1}"))
        # An open connection would hold a place of the server between two requests.
        self.headers = {"Connection": "close"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
            return
        self.headers["X-CSRF-Token"] = secrets.token_hex(16)
        self.session.cookies.set(target.csrf_cookie, self.headers["X-CSRF-Token"])
        self.next_session()

    @property
    def word(self) -> str:
        return self.person.word if self.person else ""

    @property
    def may_write(self) -> bool:
        return self.role in (Role.USER, Role.ADMINISTRATOR)

    def next_session(self) -> bool:
        """Go on with another session of the account; False where there is none."""
        if self.role.is_token or not self.person or not self.person.sessions:
            return False
        key = self.person.sessions.pop()
        self.session.cookies.set(self.target.session_cookie, key)
        self.target.secrets.append(key)
        return True

    def get(self, path: str) -> requests.Response:
        return self.session.get(self.target.url + path, headers=self.headers, timeout=SECONDS)

    def post(self, path: str, body: Any) -> requests.Response:
        return self.session.post(self.target.url + path, json=body, headers=self.headers, timeout=SECONDS)


class Crowd:
    """All visitors by role."""

    def __init__(self, target: Target, dice: random.Random) -> None:
        self._target, self._dice, self._numbers = target, dice, count()
        self._of: dict[Role, list[Visitor]] = {role: [] for role in Role}
        self._of[Role.NOBODY].append(self._visitor(Role.NOBODY))
        # How many sessions, tokens and accounts were lost.
        self.lost = 0

    def somebody(self, role: Role) -> Visitor:
        """A visitor of that role. Raises AssertionError where the instance gives no token."""
        if role.is_token:
            while len(self._of[role]) < TOKENS:
                self._add_token(role)
        elif role is not Role.NOBODY:
            self._fill_up()
        return self._dice.choice(self._of[role])

    def replace(self, visitor: Visitor) -> None:
        """Somebody who is not signed in any more, or has another role now."""
        self.lost += 1
        if visitor in self._of[visitor.role] and not visitor.next_session():
            self._of[visitor.role].remove(visitor)

    def replace_all(self) -> None:
        """A restore has ended all sessions and tokens."""
        for role in set(Role) - {Role.NOBODY}:
            self.lost += len(self._of[role])
            self._of[role].clear()

    def _fill_up(self) -> None:
        """Add accounts where half of a role are lost."""
        users, administrators = len(self._of[Role.USER]), len(self._of[Role.ADMINISTRATOR])
        if users > USERS // 2 and administrators > ADMINISTRATORS // 2:
            return
        missing = USERS - users
        for number, person in enumerate(self._target.newcomers(missing, ADMINISTRATORS - administrators)):
            role = Role.USER if number < missing else Role.ADMINISTRATOR
            self._of[role].append(self._visitor(role, person))

    def _add_token(self, role: Role) -> None:
        owner = self.somebody(self._dice.choice((Role.USER, Role.ADMINISTRATOR)))
        answer = owner.post("/api/tokens", {"name": "random requests", "scopes": [role]})
        if answer.ok:
            token = answer.json()["token"]
            self._target.secrets.append(token)
            self._of[role].append(self._visitor(role, owner.person, token))
        else:
            assert answer.status_code in (400, 401), answer.text
            self.replace(owner)

    def _visitor(self, role: Role, person: Person | None = None, token: str = "") -> Visitor:
        return Visitor(self._target, role, next(self._numbers), person, token)
