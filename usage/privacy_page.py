"""What the settings page shows of the privacy of prompts (docs/api.md#privacy)."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from usage.models import Privacy
from usage.prompt_privacy import policy

_MODES = [
    (policy.WHOLE, _("Whole prompts")),
    (policy.BEGINNING, _("Their beginnings")),
    (policy.HASH, _("Hashes of their words")),
    (policy.NOTHING, _("Nothing")),
]


def privacy_context(user_id: int) -> dict[str, Any]:
    """The choice of the account, and the choices that there are."""
    row = Privacy.objects.filter(user_id=user_id).first() or Privacy(user_id=user_id)
    return {"privacy": row, "privacy_modes": _MODES}
