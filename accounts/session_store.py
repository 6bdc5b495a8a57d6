"""Sessions in the database with their account, so that those of anonymous visitors can be counted and limited."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class Session(AbstractBaseSession):
    """A session and its account; None for a visitor who has not signed in."""

    user_id = models.BigIntegerField(null=True, db_index=True)

    class Meta:
        app_label = "accounts"
        indexes = [models.Index(fields=["expire_date"], name="session_by_end")]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        return SessionStore


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
