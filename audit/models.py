"""The audit log: who did what, when, from where (specification 2.6)."""

import uuid

from django.db import models


class Entry(models.Model):
    """One line of the audit log. `user_id` is the actor's and stays when the account goes."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    detail = models.TextField(blank=True)
    ip = models.CharField(max_length=45, blank=True)
    user_id = models.BigIntegerField(null=True)

    class Meta:
        verbose_name_plural = "entries"
        indexes = [
            models.Index(fields=["user_id", "id"], name="audit_by_user"),
            models.Index(fields=["action", "id"], name="audit_by_action"),
            models.Index(fields=["user_id", "action", "id"], name="audit_by_user_action"),
            models.Index(fields=["actor", "id"], name="audit_by_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor} {self.action}"
