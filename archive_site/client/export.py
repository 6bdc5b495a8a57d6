"""The verb `export`: the calls as a file, which appears under its name only when it is complete."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.signals import termination_raises
from archive_site.client.verb import Call

# How a server ends a file that is not complete (docs/api.md#formats). A test holds this beside the server's words.
NOT_COMPLETE = "THIS FILE IS NOT COMPLETE"
_PARQUET = b"PAR1"
# A longer last line is that of a call.
_LAST_LINE = 1000
Write = Callable[[bytes], object]


def export(call: Call) -> ExitCode:
    output = Path(call.options.output) if call.options.output not in (None, "-") else None
    format = call.options.format or ("jsonl" if call.options.json else _by_name(output))
    if output is None:
        if call.screen.is_terminal:
            raise Failure(ExitCode.USAGE, "a terminal is no place for a file: name one with --output.")
        _receive(call, format, call.screen.bytes.write)
        return ExitCode.FINE
    size = 0
    with _complete_file(output, replace=call.options.force) as write:
        size = _receive(call, format, write)
    if call.screen.is_watched:
        call.screen.note(f"{output}: {size} bytes.")
    return ExitCode.FINE


def _by_name(output: Path | None) -> str:
    ending = output.suffix.lower() if output else ""
    return {".jsonl": "jsonl", ".parquet": "parquet"}.get(ending, "csv")


def _receive(call: Call, format: str, write: Write) -> int:
    """Write the file piece by piece; give its bytes. Raises Failure if it is not complete."""
    end, size = b"", 0
    with call.server.download("/records/export", {**call.filters, "format": format}) as pieces:
        for piece in pieces:
            write(piece)
            end, size = (end + piece)[-_LAST_LINE:], size + len(piece)
    if not _is_complete(format, end):
        raise Failure(ExitCode.SERVER, "the server broke off the export: it is not complete. Export again.")
    return size


def _is_complete(format: str, end: bytes) -> bool:
    """Whether a file that ends with these bytes has its end; a server may end one that broke off like any other."""
    if format == "parquet":
        return end.endswith(_PARQUET)
    if not end:
        return format == "jsonl"
    if not end.endswith(b"\n"):
        return False
    last = end.rstrip(b"\r\n").rpartition(b"\n")[2].decode(errors="replace")
    if format == "csv":
        return not last.startswith(f'"{NOT_COMPLETE}')
    try:
        return "error" not in json.loads(last)
    except ValueError:
        # The end of a line that is longer than what was kept.
        return True


@contextmanager
def _complete_file(output: Path, *, replace: bool) -> Iterator[Write]:
    """A file beside `output`, for the owner alone, which gets its name at the end and is removed after a failure."""
    output = output.resolve()
    _require_free(output, replace=replace)
    number, name = tempfile.mkstemp(prefix=f".{output.name[:100]}.", suffix=".part", dir=output.parent)
    unfinished = Path(name)
    with termination_raises():
        try:
            with os.fdopen(number, "wb") as file:
                yield file.write
                file.flush()
                os.fsync(file.fileno())
            # Another program may have made the file meanwhile.
            _require_free(output, replace=replace)
            unfinished.replace(output)
        finally:
            unfinished.unlink(missing_ok=True)


def _require_free(output: Path, *, replace: bool) -> None:
    if output.exists() and not output.is_file():
        raise Failure(ExitCode.USAGE, f"{output} is no file.")
    if output.exists() and not replace:
        raise Failure(ExitCode.USAGE, f"{output} is there already: --force replaces it.")
