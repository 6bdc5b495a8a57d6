"""The audit log, redaction, and the tail of the application's log."""
