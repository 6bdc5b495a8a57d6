"""Sessions in the database that know whose they are, so that those of anonymous visitors can be counted and bounded."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

from accounts.models import Session


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = super().create_model_instance(data)
        assert isinstance(session, Session)
        user_id = data.get(SESSION_KEY)
        session.user_id = int(user_id) if user_id is not None else None
        return session
