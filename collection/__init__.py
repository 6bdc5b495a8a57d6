"""Collection of calls from sources: runs, their schedule, verification, imports and maintenance."""
