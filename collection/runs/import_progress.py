"""How far running imports are, and which can be finished after a death.

The rules: docs/decisions/files.md#imports-go-in-parts.
"""

from django.conf import settings
from django.db.models import QuerySet

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import nodes
from collection.models import ImportProgress, Run
from usage.importing import work_folder

# Processes that die of the same file are not started for ever.
_MOST_TRIES = 3


def unfinished() -> list[ImportProgress]:
    """The running imports whose staged file this node has, also those that a living process works on."""
    return [found for found in _running() if work_folder.is_here(found.folder)]


def can_be_finished(run_id: int) -> bool:
    """Whether the running import has its staged file here, or on another node that may still finish it."""
    found = _running().filter(run_id=run_id).first()
    return found is not None and (work_folder.is_here(found.folder) or _may_be_finished_elsewhere(found))


def _running() -> QuerySet[ImportProgress]:
    running = ImportProgress.objects.filter(run__status=Run.Status.RUNNING, tries__lt=_MOST_TRIES)
    return running.select_related("run").order_by("pk")


def _may_be_finished_elsewhere(progress: ImportProgress) -> bool:
    """Whether its node works, or has been silent for so short that it may be starting again."""
    if progress.node in ("", settings.NODE):
        return False
    lives = any(node.name == progress.node and not node.is_gone for node in nodes.known())
    return lives or abs(clock.now() - progress.moved_at) < nodes.GONE_AFTER


def kept_folders() -> list[str]:
    """The names of the folders that such an import needs."""
    return [found.folder for found in unfinished()]


def remove_files_of_the_dead() -> int:
    """Remove what imports of dead processes left on this node, unless they can be finished; gives the number."""
    return work_folder.remove_abandoned(kept_folders())


def forget(run_id: int) -> None:
    """Delete the progress of a run that ends, in the caller's transaction."""
    ImportProgress.objects.filter(run_id=run_id).delete()


def cut_off(run_id: int, why: Message, *, are_bills: bool = False) -> Message:
    """How an import ended that broke off: why, how many calls, or days of bills, it stored, and that another import
    adds the rest."""
    found = ImportProgress.objects.filter(run_id=run_id).first()
    count = found.stored - found.too_old if found else 0
    if are_bills:
        return Message("import_of_bills_cut_off", why=why, count=count)
    return Message("import_cut_off_after", why=why, count=count)
