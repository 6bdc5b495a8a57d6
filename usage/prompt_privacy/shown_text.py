"""The prompt `p` of a record in SQL, as people see it: nothing where only the hashes of its words are kept."""

from usage.prompt_privacy.hashed_words import MARK

# `MARK` is one character, of three bytes in UTF-8, which no text of SQL has to escape.
IS_HASHED = f"SUBSTR(p.text, 1, 1) = '{MARK}'"
GIVEN = "COALESCE(p.text, '')"
SHOWN = f"CASE WHEN {IS_HASHED} THEN '' ELSE {GIVEN} END"
