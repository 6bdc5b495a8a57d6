"""Credentials of archives at their sources, and the instance key that encrypts them.

`credential` encrypts, stores and reads one in the form that `credential_forms` has for its kind. `credential_states`
counts those that cannot be read, and `cookie_lifetimes` says how long they last. `instance_key` is in force; its
`named_fingerprint` is in the store.
"""
