"""How much of prompts an account keeps (docs/decisions/records.md#private-prompts).

`hashed_words` is the form of a prompt of which only the words are kept, as keyed hashes; `policy` is what an account
has chosen, and what is kept of a prompt under it. `shown_text` is what people see of a stored one.
"""
