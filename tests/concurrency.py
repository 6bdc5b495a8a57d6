"""Doing things at the same moment: in threads with database connections of their own, and in processes."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

PROJECT = Path(__file__).parents[1]


def together(*calls: Callable[[], Any]) -> list[Any]:
    """The results or exceptions of calls that all start at once."""
    results: list[Any] = [None] * len(calls)
    gate = threading.Barrier(len(calls))

    def run(place: int) -> None:
        gate.wait()
        try:
            results[place] = calls[place]()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def processes(script: str, *arguments: object, number: int = 4) -> list[str]:
    """The output of `number` processes that run the same script at the same time."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    started = [
        subprocess.Popen(command, cwd=PROJECT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(number)
    ]
    outcomes = [process.communicate(timeout=60) for process in started]
    assert all(process.returncode == 0 for process in started), [error for _, error in outcomes]
    return [out.strip() for out, _ in outcomes]
