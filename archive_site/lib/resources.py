"""Where the templates and the static files are: docs/decisions/instance.md#an-installable-package."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "resources"
# A wheel has them inside the package, a checkout beside it.
RESOURCES = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
