"""Calls that come from a file, and the file of a whole account (docs/api.md#import).

`import_api` has the views. `import_run` stages a file and starts the run, `import_storing` stores it in parts by its
`import_plan`, and `dead_imports` goes on after a death. `archive_files` says which files an archive of files takes.
`breaking_off` has the errors of an import outside of its run.
`account_file` says what the file of an account holds, `account_export` writes it, `account_import` reads it with its
runs (`staged_runs`, `imported_run`), bills (`account_bills`) and packages (`account_packages`).
"""
