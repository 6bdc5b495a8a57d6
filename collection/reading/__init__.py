"""Reading calls from the source into an archive.

`collector` works a collection off, window by window; `older` reaches back behind the first one, and `prompt_backfill`
fetches prompts that came late. `window_store` reads a window (`window_reader`, checked whole by `whole_windows`) and
stores it page by page, with the `held_changes` of stored records at its end. `window_notes` notes what is read by then
(`coverage_notes`), what failed (`window_failures`), and what is `given_up`; `day_readings` reads whole days again,
`bill_readings` what proves them, and `package_readings` what is left of credits.
"""
