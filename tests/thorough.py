"""What only `make test-all` runs: tests that start browsers and processes again and again, and long waits.

`make test` keeps some tests of each page, and one for each kind of process, signal and kill (docs/architecture.md).
"""

import pytest

# By file: the tests that `make test` keeps, where it leaves out most of the others.
KEPT: dict[str, tuple[str, ...]] = {
    "tests/archive_site/test_up.py": ("test_it_serves_and_says_where",),
    "tests/backups/test_hostile_stores.py": (),
    "tests/backups/test_killed_restore.py": (),
    "tests/backups/test_restore_command.py": (),
    "tests/browser/test_audit.py": ("test_entries_are_filtered_and_the_address_holds_the_filters",),
    "tests/browser/test_backups.py": ("test_while_a_backup_is_made_the_page_says_so_and_a_failure_is_told",),
    "tests/browser/test_before_sign_in.py": ("test_a_password_is_shown_and_hidden_by_keyboard",),
    "tests/browser/test_bytes.py": (),
    "tests/browser/test_chinese.py": (),
    "tests/browser/test_collection_live.py": ("test_the_progress_panel_leads_to_the_run_and_stops_it",),
    "tests/browser/test_comparison.py": ("test_each_figure_shows_the_earlier_value",),
    "tests/browser/test_every_page.py": ("test_a_page_is_accessible_and_fits_a_phone[overview",),
    "tests/browser/test_feedback.py": (
        "test_a_server_that_is_gone_is_one_notice_and_everything_loads_when_it_is_back",
    ),
    "tests/browser/test_first_run_to_totals.py": (
        "test_the_settings_page_takes_a_cookie_and_never_shows_it",
        "test_a_bad_setting_is_said_at_its_field_and_the_good_one_is_kept",
    ),
    "tests/browser/test_first_steps.py": (),
    "tests/browser/test_import.py": (),
    "tests/browser/test_installable_app.py": (),
    "tests/browser/test_invitations.py": (),
    "tests/browser/test_layout.py": ("test_nothing_hangs_over_at_320_pixels[/]",),
    "tests/browser/test_ledger.py": ("test_the_legend_counts_the_days_of_each_state",),
    "tests/browser/test_maintenance.py": (),
    "tests/browser/test_open_pages.py": (),
    "tests/browser/test_outdated_figures.py": (),
    "tests/browser/test_overview.py": ("test_a_part_that_fails_says_so_alone_and_is_tried_again",),
    "tests/browser/test_overview_charts.py": (),
    "tests/browser/test_overview_hours.py": ("test_an_hour_leads_to_its_calls",),
    "tests/browser/test_palette.py": ("test_arrows_choose_and_enter_goes_there",),
    "tests/browser/test_profile.py": ("test_the_profile_is_saved_and_shown_as_it_was_stored",),
    "tests/browser/test_reauthentication.py": (),
    "tests/browser/test_record_filters.py": ("test_the_head_sums_what_the_filters_find",),
    "tests/browser/test_record_panel.py": ("test_a_link_opens_a_record_with_every_field_and_its_whole_prompt",),
    "tests/browser/test_records.py": ("test_the_address_holds_filters_search_order_and_size",),
    "tests/browser/test_run_messages.py": (),
    "tests/browser/test_runs.py": ("test_each_way_to_start_and_to_end_has_its_words",),
    "tests/browser/test_runs_ledger.py": (),
    "tests/browser/test_saved_views_menu.py": (),
    "tests/browser/test_settings_pages.py": ("test_an_ordinary_account_finds_no_instance_settings",),
    "tests/browser/test_table_menu.py": ("test_a_copy_has_tabs_and_is_confirmed",),
    "tests/browser/test_unknown_days.py": (),
    "tests/browser/test_unsaved_fields.py": (),
    "tests/browser/test_users.py": ("test_name_email_and_role_are_edited",),
    "tests/collection/test_collect_command.py": ("test_ctrl_c_ends_it_after_its_page",),
    "tests/collection/test_full_disk.py": (),
    "tests/collection/test_kill.py": (),
    "tests/collection/test_stop_of_up.py": (),
    "tests/collection/test_verify_processes.py": (),
    "tests/fuzz/test_fuzz.py": (),
    "tests/test_secrets.py": (),
}

# By file: the tests that `make test` leaves out, where it keeps most of the others.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "tests/accounts/test_admin_filters.py": (
        "test_no_value_of_another_parameter_fails",
        "test_no_row_has_a_page_outside_of_the_site",
        "test_an_id_that_no_row_has_leads_elsewhere",
    ),
    "tests/accounts/test_admin_guards.py": ("test_two_administrators_against_each_other_leave_one",),
    "tests/accounts/test_captcha_limits.py": (
        "test_a_refused_picture_is_not_stored_either",
        "test_the_limit_is_the_sources_not_the_sessions",
    ),
    "tests/accounts/test_create_admin_command.py": (
        "test_on_a_new_folder_it_makes_the_store_too",
        "test_at_a_terminal_a_failure_is_a_line_and_no_traceback",
        "test_a_password_that_is_no_text_is_one_line",
        "test_without_a_terminal_it_says_how_to_give_the_password",
        "test_at_a_terminal_it_asks_twice_and_shows_nothing",
    ),
    "tests/accounts/test_device_cookie.py": ("test_a_success_clears_the_device_and_not_the_name",),
    "tests/accounts/test_invitation_links.py": ("test_open_links_do_not_count_and_guesses_lock_no_sign_in",),
    "tests/accounts/test_throttling.py": ("test_parallel_processes_get_ten_guesses_and_no_more",),
    "tests/archive_site/test_data_folder.py": (
        "test_two_processes_may_start_for_the_first_time_at_once",
        "test_a_whole_instance_is_its_owners_alone",
    ),
    "tests/archive_site/test_headers.py": ("test_plain_http_has_plain_cookies_and_trusts_no_proxys_word",),
    "tests/archive_site/test_read_limit.py": ("test_parallel_reads_pass_exactly_240_times",),
    "tests/archive_site/test_slow_clients.py": (
        "test_of_many_unfinished_requests_two_of_a_source_stay_and_the_others_are_refused",
        "test_a_steady_reader_keeps_its_download_beside_others_without_a_place",
        "test_two_hundred_slow_clients_of_as_many_sources_leave_room_for_others",
    ),
    "tests/archive_site/test_static_files.py": ("test_a_page_names_scripts_by_their_hashed_names",),
    "tests/archive_site/test_supervisor.py": (
        "test_workers_that_are_wedged_after_a_restore_are_found",
        "test_a_restore_leaves_the_workers_in_peace",
    ),
    "tests/audit/test_application_log_tail.py": ("test_the_number_of_lines_is_clamped_or_the_default",),
    "tests/audit/test_hourly_limit.py": (
        "test_entries_without_an_account_count_by_actor_action_and_address",
        "test_another_action_or_account_has_its_own_count",
        "test_a_new_hour_begins_anew",
        "test_one_entry_counts_the_rest",
    ),
    "tests/audit/test_retention.py": ("test_the_log_stays_below_its_limit_though_several_processes_write",),
    "tests/backups/test_archives_of_releases.py": ("test_a_migration_that_died_is_made_again",),
    "tests/backups/test_automatic.py": ("test_of_two_clusters_one_makes_it",),
    "tests/backups/test_check.py": ("test_it_touches_nothing_and_writes_nothing_down",),
    "tests/backups/test_command.py": ("test_in_a_process_of_its_own",),
    "tests/backups/test_file_names.py": ("test_another_process_is_busy_meanwhile",),
    "tests/backups/test_recovery.py": ("test_a_copy_that_has_the_new_store_where_the_link_was_holds_what_came",),
    "tests/backups/test_restore.py": ("test_an_archive_of_an_older_version_is_brought_to_this_one",),
    "tests/backups/test_restore_concurrent_use.py": ("test_who_reads_meanwhile_is_never_refused",),
    "tests/backups/test_restore_refused.py": (
        "test_a_failure_at_any_step_leaves_all_as_it_was",
        "test_a_disk_that_refuses_a_step_of_the_switch_leaves_the_old_store",
    ),
    "tests/backups/test_snapshot.py": ("test_fifty_are_consistent_while_a_collection_writes_and_readers_read",),
    "tests/collection/test_background.py": ("test_a_cluster_works_off_a_run_once_though_it_is_delivered_twice",),
    "tests/collection/test_collect_in_background.py": ("test_any_other_word_collects_at_once",),
    "tests/collection/test_collect_outcomes.py": (
        "test_rows_that_are_stored_stay_stored",
        "test_overload_that_passes_fails_nothing",
    ),
    "tests/collection/test_collector_windows.py": (
        "test_a_capped_window_is_read_in_halves[3000",
        "test_a_minute_that_is_capped_is_halved_no_further_and_named",
        "test_rows_that_came_once_and_are_all_gone_the_second_time_are_no_success",
    ),
    "tests/collection/test_due_slots.py": (
        "test_a_time_that_the_clock_repeats_is_served_at_its_first_occurrence",
        "test_a_time_that_the_clock_skips_is_served_once_at_the_change",
    ),
    "tests/collection/test_hostile_upstreams.py": ("test_who_never_ends_an_answer_is_left_at_the_deadline",),
    "tests/collection/test_import_command.py": ("test_an_import_that_is_killed_in_the_middle_leaves_nothing",),
    "tests/collection/test_lease.py": ("test_of_many_processes_at_once_one_gets_it",),
    "tests/collection/test_maintenance_command.py": (
        "test_ctrl_c_is_one_line_and_leaves_the_lease_free",
        "test_in_a_process_of_its_own",
        "test_a_failure_is_a_line_on_standard_error",
    ),
    "tests/collection/test_older.py": (
        "test_one_that_was_killed_continues",
        "test_recent_days_are_read_in_time_after_it",
        "test_capped_windows_are_read_in_halves",
        "test_gaps_between_asked_days_are_filled_however_long",
    ),
    "tests/collection/test_queued_runs.py": ("test_each_run_is_a_task_of_its_own",),
    "tests/collection/test_queued_runs_one_at_a_time.py": (
        "test_two_workers_begin_no_run_twice_and_never_two_at_once",
        "test_a_worker_that_is_killed_leaves_an_interrupted_run_and_the_next_completes_it",
        "test_a_run_that_is_stopped_in_the_middle_ends_and_leaves_the_next_to_the_next_tick",
    ),
    "tests/collection/test_settling.py": (
        "test_each_day_is_read_again_a_day_and_three_days_after_its_end_and_settles",
        "test_credits_that_change_two_days_later_arrive",
        "test_a_capped_day_is_counted_in_halves",
        "test_a_day_that_a_reading_changes_is_read_again_a_day_later",
    ),
    "tests/collection/test_simulate_upstream.py": ("test_a_signal_ends_it_well",),
    "tests/collection/test_tick.py": ("test_so_do_ticks_of_several_processes",),
    "tests/collection/test_upstream_tries.py": (
        "test_the_timeout_is_a_deadline_for_the_request_as_a_whole",
        "test_after_a_deadline_the_next_try_has_a_connection_of_its_own",
    ),
    "tests/collection/test_verify_command.py": (
        "test_each_other_value_is_a_difference",
        "test_what_prevents_asking_exits_with_2",
        "test_an_upstream_that_does_not_answer_well_exits_with_2",
        "test_a_capped_window_is_compared_in_halves",
        "test_a_time_in_another_window_is_one_difference",
    ),
    "tests/collection/test_verify_endpoint.py": ("test_one_whose_worker_dies_is_interrupted_and_the_next_one_works",),
    "tests/test_isolation.py": (
        "test_the_owner_sees_all_of_it",
        "test_an_administrator_sees_no_others_data_either",
        "test_an_answer_is_the_same_to_the_byte_whatever_another_account_has",
    ),
    "tests/test_roles.py": ("test_a_session_of_a_disabled_account_is_an_anonymous_visitors_everywhere",),
    "tests/usage/test_export_page.py": ("test_an_export_that_nobody_ever_reads_or_closes_gives_its_place_back",),
    "tests/usage/test_export_parameters.py": ("test_the_parameters_are_those_of_the_list",),
}


def mark(items: list[pytest.Item]) -> None:
    """Mark as `thorough` what `make test` leaves out."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if (file in KEPT and not name.startswith(KEPT[file])) or name.startswith(LEFT_OUT.get(file, ())):
            item.add_marker("thorough")
