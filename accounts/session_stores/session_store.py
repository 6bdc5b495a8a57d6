"""Sessions in the database with their account, so that those of anonymous visitors can be counted and limited.

While its disk is full they are kept in memory.
"""

from functools import partial
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.dispatch import receiver

from accounts.session_stores import session_cache, spare_sessions
from archive_site.lib import clock
from archive_site.lib.storage import disk_space
from archive_site.lib.storage.deletion import delete_in_parts


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

    @classmethod
    def clear_expired(cls) -> None:
        """Delete the sessions that have ended, in parts."""
        for _ in delete_in_parts(Session.objects.filter(expire_date__lt=clock.now())):
            pass

    def load(self) -> dict[str, Any]:
        known = session_cache.read(self.session_key)
        # What is known may be no session, which is decoded as an empty one.
        decoded = self.decode(known) if known is not None else {}
        if decoded:
            return decoded
        spare = spare_sessions.read(self.session_key)
        if spare is not None:
            return self._moved_to_store(self.decode(spare))
        found = super().load()
        if found:
            session_cache.write(self.session_key, self.encode(found))
        return found

    def save(self, must_create: bool = False) -> None:
        """Save the session; keep it in memory where the disk is full.

        Raises UpdateError where it has been deleted, and DatabaseError if the store fails.
        """
        if self.session_key is None:
            self.create()
            return
        try:
            self._store(must_create or self._is_only_in_memory())
        except DatabaseError as error:
            # A transaction around it has failed as a whole.
            if not disk_space.is_full(error) or connection.in_atomic_block:
                raise
            data = dict(self.items())
            spare_sessions.keep(self.session_key, self.encode(data), data.get(SESSION_KEY))
            return
        session_cache.write(self.session_key, self.encode(dict(self.items())))

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session. Raises DatabaseError; where the disk is full, a visitor's row is left to expire."""
        key = session_key or self.session_key
        if key is None:
            return
        spare_sessions.forget(key)
        try:
            super().delete(key)
        except DatabaseError as error:
            if not disk_space.is_full(error) or not Session.objects.filter(pk=key, user_id=None).exists():
                raise

    def _store(self, must_create: bool) -> None:
        try:
            super().save(must_create)
        except UpdateError as error:
            # Django takes every failure of an update for a session that was deleted, which is 400.
            failed = error.__context__
            # What the database refused has a cause, and a row that is not there has none.
            if failed and (failed.__cause__ or isinstance(failed, OperationalError)):
                raise failed from failed.__cause__
            raise

    def _is_only_in_memory(self) -> bool:
        return spare_sessions.read(self.session_key) is not None and not self.exists(self.session_key or "")

    def _moved_to_store(self, data: dict[str, Any]) -> dict[str, Any]:
        """The content of a session that was kept in memory, which is in the store from now on if that has room."""
        self._session_cache = data
        if disk_space.has_room():
            with disk_space.left_out_if_full("the move of a session to the store"):
                self.create_model_instance(data).save()
                spare_sessions.forget(self.session_key or "")
        return data


@receiver(models.signals.post_delete, sender=Session)
def forget_in_cache(instance: Session, **_: Any) -> None:
    """Forget deleted sessions, however they are deleted; again after the commit, as others read them until then."""
    session_cache.forget([instance.session_key])
    transaction.on_commit(partial(session_cache.forget, [instance.session_key]))
