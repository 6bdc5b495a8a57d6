"""What can be wrong with an archive."""


class InvalidArchive(ValueError):
    """The file is no backup that this version can restore; the message says why, in one sentence."""
