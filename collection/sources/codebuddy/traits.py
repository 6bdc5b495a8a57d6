"""What CodeBuddy's usage API can give (docs/upstream.md)."""

from datetime import timedelta

from django.conf import settings

from usage.source_traits import Traits

TRAITS = Traits(
    kind="codebuddy",
    window_days=7,
    cap_step=1000,
    # Calls and their credits change for about two days.
    first_reading=timedelta(hours=24),
    last_reading=timedelta(hours=72),
    packages=True,
    tells_accounts=True,
    bills=True,
    # Until then its calls may change.
    bill_settles=timedelta(hours=72),
    bill_zone=settings.UPSTREAM_ZONE,
    credential="cookie",
    name="CodeBuddy",
    usage_page="/profile/plans-usage",
    time_column="requestTime",
    time_zone=settings.UPSTREAM_ZONE,
    request_id="[0-9a-f]{32}|crb-[0-9A-Za-z-]{1,64}",
    request_id_begun="crb-|[0-9a-f]{12,32}$",
)
