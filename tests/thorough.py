"""What only `make test-all` runs: tests that start browsers and processes again and again.

`make test` keeps one test for each page, and one for each kind of process, signal and kill (docs/architecture.md).
"""

import pytest

# By file, or folder: the tests that `make test` keeps.
KEPT: dict[str, tuple[str, ...]] = {
    "tests/browser/test_audit.py": ("test_entries_are_filtered_and_the_address_holds_the_filters",),
    "tests/browser/test_backups.py": ("test_while_a_backup_is_made_the_page_says_so_and_a_failure_is_told",),
    "tests/browser/test_collection_live.py": ("test_the_progress_panel_leads_to_the_run_and_stops_it",),
    "tests/browser/test_first_run_to_totals.py": (
        "test_a_stranger_gets_from_the_first_run_link_to_the_records",
        "test_the_settings_page_takes_a_cookie_and_never_shows_it",
        "test_a_bad_setting_is_said_at_its_field_and_the_good_one_is_kept",
        "test_a_session_that_ended_meanwhile_is_taken_up_again",
    ),
    "tests/browser/test_first_steps.py": (),
    "tests/browser/test_maintenance.py": ("test_an_action_says_beside_its_button_what_it_did_and_how_long_to_wait",),
    "tests/browser/test_overview.py": (
        "test_the_period_stands_in_the_address_and_can_be_gone_back_to",
        "test_a_model_and_a_client_filter_everything_and_are_taken_away_again",
    ),
    "tests/browser/test_overview_charts.py": ("test_a_click_on_a_bar_leads_to_its_day_and_a_drag_to_a_span",),
    "tests/browser/test_profile_and_users.py": (
        "test_name_email_and_role_are_edited",
        "test_the_profile_is_saved_and_shown_as_it_was_stored",
        "test_a_stranger_registers_with_the_picture",
    ),
    "tests/browser/test_record_panel.py": ("test_a_link_opens_a_record_with_every_field_and_its_whole_prompt",),
    "tests/browser/test_records.py": ("test_the_address_holds_filters_search_order_and_size",),
    "tests/browser/test_run_messages.py": ("test_each_failure_says_what_to_do",),
    "tests/browser/test_runs.py": ("test_each_way_to_start_and_to_end_has_its_words",),
    "tests/archive_site/test_up.py": (
        "test_it_serves_and_says_where",
        "test_the_signal_to_stop_ends_everything_with_exit_code_0",
        "test_what_is_killed_is_started_again[web_server",
    ),
    "tests/backups/test_killed_restore.py": ("test_a_killed_restore_leaves_one_store_whole[store_switch.switch",),
    "tests/backups/test_restore_command.py": (),
    "tests/collection/test_collect_command.py": ("test_ctrl_c_ends_it_after_its_page",),
    "tests/collection/test_full_disk.py": (),
    "tests/collection/test_kill.py": ("test_a_run_killed_in_a_later_window_keeps_the_earlier_ones_mark",),
    "tests/collection/test_stop_of_up.py": (),
}


def mark(items: list[pytest.Item]) -> None:
    """Mark as `thorough` every test of these files that is not kept."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file in KEPT and not name.startswith(KEPT[file]):
            item.add_marker("thorough")
