"""A few places; each source of clients may hold some of them (docs/decisions/web.md#slow-clients)."""

OF_A_SOURCE = 2


class Places:
    """Places and their holders, each with its client's source; a source that is not known yet is empty."""

    def __init__(self, in_all: int, of_a_source: int = OF_A_SOURCE) -> None:
        self._in_all, self._of_a_source = in_all, of_a_source
        self._sources: dict[object, str] = {}

    def take(self, holder: object, source: str) -> bool:
        """Take a place, or keep one; False if none is free."""
        if holder not in self._sources and not self.is_free(source):
            return False
        self._sources[holder] = source
        return True

    def free(self, holder: object) -> None:
        self._sources.pop(holder, None)

    def is_free(self, source: str) -> bool:
        taken = list(self._sources.values())
        return len(taken) < self._in_all and (not source or taken.count(source) < self._of_a_source)

    @property
    def taken(self) -> int:
        return len(self._sources)
