"""The collected scripts and styles, made again only where they changed (docs/decisions/instance.md#small-machines).

A note beside their folder describes what they were made of and what was made. It is removed before files are written
and comes back last, so a collection that was killed is repeated.
"""

import hashlib
import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from archive_site.lib import script_bundles, static_files

# Pages need neither the build files nor the type declarations.
_IGNORED = ["build", "*.d.ts"]
# The modules that make what is served.
_MAKERS = (script_bundles, static_files)


def collect() -> bool:
    """Collect the static files; False if nothing had to be done."""
    root = Path(settings.STATIC_ROOT)
    note, found = note_of(root), _found()
    sources, (made_of, made) = _sources(found.values()), _noted(note)
    is_whole = made == _files_in(root)
    if is_whole and made_of == sources:
        return False
    note.unlink(missing_ok=True)
    # Django keeps a copy that is younger than its source; an upgrade may bring a source that is older.
    for name in found:
        (root / name).unlink(missing_ok=True)
    # Pages that are open during an upgrade load scripts of the earlier version, which stay in a whole folder.
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=_IGNORED, clear=not is_whole)
    draft = note.with_suffix(".draft")
    draft.write_text(json.dumps({"sources": sources, "files": _files_in(root)}))
    draft.replace(note)
    return True


def note_of(root: Path) -> Path:
    return root.with_name(f"{root.name}.json")


def _noted(note: Path) -> tuple[str, str]:
    """What the files were made of, and the files; empty where the note is missing or damaged."""
    try:
        noted = json.loads(note.read_text())
        return str(noted["sources"]), str(noted["files"])
    except (OSError, ValueError, TypeError, KeyError):
        return "", ""


def _found() -> dict[str, Path]:
    """The sources by the names under which they are collected."""
    return {
        name: Path(storage.path(name))
        for finder in get_finders()
        for name, storage in finder.list(ignore_patterns=_IGNORED)
    }


def _sources(paths: Iterable[Path]) -> str:
    """A digest of all that decides how the collected files look."""
    versions = [settings.VERSION, version("django"), version("whitenoise")]
    places = [settings.STATIC_URL, settings.STORAGES["staticfiles"]["BACKEND"]]
    makers = [Path(str(module.__file__)) for module in _MAKERS]
    return _digest([*versions, *places, *_states([*paths, *makers])])


def _files_in(root: Path) -> str:
    return _digest(sorted(_states(path for path in root.rglob("*") if not path.is_dir())))


def _states(paths: Iterable[Path]) -> Iterable[str]:
    for path in paths:
        state = path.lstat()
        yield f"{path} {state.st_size} {state.st_mtime_ns}"


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
