"""How a command ends: its exit codes, and the failures that lead to them (docs/client.md#exit-codes)."""

from enum import IntEnum


class ExitCode(IntEnum):
    FINE = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4
    SERVER = 5
    INTERRUPTED = 130
    # As a shell names the ends of programs by a signal.
    BROKEN_PIPE = 141
    TERMINATED = 143


MEANINGS = {
    ExitCode.FINE: "done; with 'status --check': nothing is wrong",
    ExitCode.FAILED: "a check or a run failed, or a file cannot be written",
    ExitCode.USAGE: "wrong usage: an option, a value, no server or no token",
    ExitCode.UNREACHABLE: "the server cannot be reached, or the connection broke off",
    ExitCode.REFUSED: "the token was refused, or lacks the scope; also for a check that cannot see all",
    ExitCode.SERVER: (
        "the server answered with an error, such as busy, broke off an export, or is no usage archive of this version"
    ),
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
    ExitCode.BROKEN_PIPE: "the reader of the output went away, such as 'head'",
    ExitCode.TERMINATED: "ended by SIGTERM",
}


class Failure(Exception):
    """Ends the command with this code and one line on standard error."""

    def __init__(self, code: ExitCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
