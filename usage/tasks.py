"""Tasks of the queue."""

from archive_site.lib.http.store_refusals import leaves_out_if_unusable
from archive_site.lib.locks.write_freeze import leaves_off
from archive_site.lib.waiting_tasks import queue_once
from usage import prompt_conversion
from usage.retention import erasing
from usage.search import engine_index as search_index

CONVERT_PROMPTS = "usage.tasks.convert_prompts"
ERASE = "usage.tasks.erase"
# Seconds that the search index is merged after it: only then are the texts gone from the file.
_TIDYING = 30.0


@leaves_out_if_unusable
@leaves_off
def convert_prompts() -> None:
    """Make stored prompts what accounts have chosen to keep; what is left after a while is another task's, behind those
    that wait."""
    if not prompt_conversion.go_on():
        queue_once(CONVERT_PROMPTS)
        return
    search_index.tidy_for(_TIDYING)


@leaves_out_if_unusable
@leaves_off
def erase() -> None:
    """Erase calls and prompts that accounts do not keep any more; what is left after a while is another task's."""
    if not erasing.go_on():
        queue_once(ERASE)
        return
    search_index.tidy_for(_TIDYING)
