"""The audit log: who did what, when, from where (docs/api.md#audit-entry)."""

import uuid

from django.db import models

from archive_site.lib import stored_message
from audit.words import action_in_words, actor_in_words


class Entry(models.Model):
    """One entry. `user_id` is that of the actor, and stays when the account is deleted.

    `search_text` is the English text of the detail, which the search reads.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    stored_detail = models.TextField(blank=True, db_column="detail")
    search_text = models.TextField(blank=True, default="")
    ip = models.CharField(max_length=45, blank=True)
    user_id = models.BigIntegerField(null=True)

    class Meta:
        verbose_name_plural = "entries"
        indexes = [
            models.Index(fields=["user_id", "id"], name="audit_by_user"),
            models.Index(fields=["action", "id"], name="audit_by_action"),
            models.Index(fields=["user_id", "action", "id"], name="audit_by_user_action"),
            models.Index(fields=["actor", "id"], name="audit_by_actor"),
            # Entries without an account, for the limit of an hour.
            models.Index(
                fields=["actor", "action", "ip", "id"], name="audit_without_account", condition=models.Q(user_id=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {actor_in_words(self.actor, self.ip)} {action_in_words(self.action)}"

    @property
    def detail(self) -> str:
        """The detail in the reader's language."""
        return stored_message.text_of(self.stored_detail)
