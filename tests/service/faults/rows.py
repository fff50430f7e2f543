"""Each fault that the service must stand, with the tests that show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A fault, the required behaviour, and the files of tests/service with their tests."""

    fault: str
    must: str
    tests: dict[str, tuple[str, ...]]


ROWS = (
    Row(
        "`kill -9` between commit and answer",
        "the retry replays; one debit",
        {"faults/test_kills.py": ("test_between_commit_and_answer_the_retry_replays",)},
    ),
    Row(
        "`kill -9` between commit and delivery",
        "delivered after the restart",
        {
            "faults/test_kills.py": (
                "test_between_commit_and_delivery_it_is_delivered_after_the_restart",
            ),
            "test_background.py": ("test_deliveries_survive_a_restart",),
        },
    ),
    Row(
        "`kill -9` after the 2xx, before it is recorded",
        "one duplicate, same id, same bytes",
        {
            "faults/test_kills.py": ("test_between_the_2xx_and_its_record_there_is_one_duplicate",),
            "test_background.py": (
                "test_an_acknowledgement_that_is_not_recorded_leads_to_one_duplicate",
            ),
        },
    ),
    Row(
        "50 identical orders at once",
        "one 201; the others 409 or a replay; one debit",
        {
            "faults/test_load.py": ("test_fifty_identical_orders_at_once_are_one",),
            "test_orders.py": ("test_many_identical_orders_at_once_are_one",),
        },
    ),
    Row(
        "full disk",
        "503, reads work, recovers without a restart",
        {
            "test_outage.py": ("test_a_full_disk_stops_writing_and_nothing_else",),
            "faults/test_postgres.py": ("test_a_full_disk_stops_writing_and_nothing_else",),
            "test_sqlite.py": ("test_a_full_disk_acknowledges_nothing_that_is_lost",),
        },
    ),
    Row(
        "PostgreSQL restarted with `-m immediate` under load",
        "no acknowledged order lost",
        {
            "faults/test_postgres.py": (
                "test_after_a_crash_under_load_no_acknowledged_order_is_lost",
            )
        },
    ),
    Row(
        "`pg_dump` under load",
        "all of one moment, with what was acknowledged before it",
        {"faults/test_postgres.py": ("test_a_dump_under_load_is_one_moment",)},
    ),
    Row(
        "many writers and a reader who polls",
        "every event once, in order, no gap",
        {
            "faults/test_load.py": (
                "test_a_reader_who_polls_sees_each_event_once_in_order_and_without_gap",
            ),
        },
    ),
    Row(
        "as many hanging endpoints as are sent to at once",
        "a healthy one hears before any of them times out",
        {
            "faults/test_receivers.py": (
                "test_beside_as_many_that_hang_as_are_sent_at_once_a_healthy_one_hears",
            ),
        },
    ),
    Row(
        "receivers that drip, answer 10 MB or a compressed bomb, or redirect",
        "cut or failed",
        {
            "faults/test_receivers.py": (
                "test_answers_without_end_are_cut_and_redirects_are_not_followed",
            ),
            "test_sender.py": (
                "test_a_head_that_drips_is_cut",
                "test_a_body_that_drips_is_cut_after_its_status_counted",
                "test_a_long_answer_is_not_read_to_its_end",
                "test_a_compressed_answer_is_not_unpacked",
                "test_a_redirect_fails_and_is_not_followed",
            ),
        },
    ),
    Row(
        "names that change their address, every form of an address that is not public",
        "refused, never reached",
        {
            "faults/test_receivers.py": (
                "test_an_address_that_is_no_longer_public_is_not_reached",
            ),
            "test_sender.py": (
                "test_a_name_that_changes_its_address_is_checked_at_every_connection",
                "test_one_address_that_is_not_public_spoils_the_name",
            ),
            "test_guard.py": (
                "test_an_address_of_a_special_range_is_not_public",
                "test_no_form_that_carries_an_ipv4_address_is_public",
                "test_a_url_of_another_form_is_refused",
            ),
        },
    ),
    Row(
        "the 601st read and the 61st write in 60 s",
        "429 with a `Retry-After` that works",
        {
            "faults/test_load.py": ("test_the_601st_read_and_the_61st_write_have_to_wait",),
            "test_shared_limits.py": (
                "test_over_http_the_wait_that_a_refusal_names_is_enough",
                "test_no_window_ever_has_more_and_every_wait_is_enough",
                "test_processes_that_share_a_limit_get_exactly_the_limit",
            ),
        },
    ),
    Row(
        "a clock that is 10 minutes off",
        "the receiver rejects; limits do not move; nothing happens twice",
        {
            "test_sender.py": ("test_a_clock_that_is_ten_minutes_off_is_rejected_by_the_receiver",),
            "test_limits.py": ("test_the_wall_clock_does_not_matter",),
            "test_shared_limits.py": (
                "test_a_clock_that_is_set_back_frees_nothing_and_blocks_nobody",
            ),
            "faults/test_clock.py": (
                "test_a_clock_that_jumps_lets_nothing_happen_twice",
                "test_workers_whose_clocks_differ_let_nothing_happen_twice",
            ),
        },
    ),
    Row(
        "anything a partner does, in any order",
        "balance = ledger, one order per reference, feed without gap, all delivered",
        {"faults/test_invariants.py": ("test_the_invariants_hold",)},
    ),
    Row(
        "one process of several stops in the middle of a transaction, or its network is lost",
        "the others go on, and so does it when it is back",
        {
            "outages/test_processes.py": (
                "test_others_go_on_while_one_is_stopped_in_the_middle_of_a_transaction",
                "test_a_process_whose_network_was_lost_goes_on_and_stops_no_other",
            ),
            "test_held_accounts.py": (
                "test_an_account_that_is_held_holds_up_no_other_one",
                "test_a_transaction_in_which_nothing_happens_is_ended_by_the_server",
                "test_connections_that_lead_nowhere_are_given_up",
                "test_it_is_not_ready_while_changes_wait_and_none_is_made",
            ),
        },
    ),
    Row(
        "a restart of a process, with a port that is kept or behind the proxy",
        "no connection is refused, no request fails",
        {
            "test_restarts.py": (
                "test_connections_wait_at_a_port_that_is_kept",
                "test_behind_the_proxy_processes_restart_one_after_the_other",
                "test_a_process_that_stops_ends_connections_with_their_next_response",
                "test_a_connection_that_was_accepted_is_answered_before_the_end",
            ),
        },
    ),
    Row(
        "`kill -9` of a process behind the proxy, or one that is not ready",
        "502 for orders that were sent to it, and for nothing else; it gets no requests",
        {
            "test_restarts.py": (
                "test_behind_the_proxy_a_killed_process_costs_only_orders_that_were_sent",
                "test_the_proxy_sends_nothing_to_a_process_that_is_not_ready",
            ),
        },
    ),
    Row(
        "an operator who has only the page",
        "a service from nothing, restored from its backup, on both databases",
        {
            "test_operators_page.py": (
                "test_from_nothing_to_a_service_behind_the_proxy",
                "test_from_nothing_to_a_restored_service",
                "test_from_sqlite_to_a_restored_postgresql",
            ),
        },
    ),
    Row(
        "hundreds of receivers that never answer",
        "their attempts are recorded together, and orders do not wait for them",
        {"test_outbox.py": ("test_attempts_that_end_together_are_recorded_together",)},
    ),
    Row(
        "a carrier that hangs, or gives what the contract cannot show",
        "5 s and 503; the sandbox goes on; an order that it never finishes is seen and refunded",
        {
            "outages/test_carrier.py": (
                "test_a_carrier_that_hangs_is_waited_for_only_so_long",
                "test_an_order_that_the_carrier_cannot_finish_is_seen_and_can_be_ended",
            ),
        },
    ),
    Row(
        "a backup that is restored, a standby that was behind",
        "a reader who is ahead gets `cursor_expired`, also when the feed has caught up",
        {
            "outages/test_restore.py": (
                "test_a_reader_who_is_ahead_of_a_backup_is_told_and_misses_nothing",
            ),
            "test_retention.py": (
                "test_a_restore_lets_every_cursor_of_the_feed_expire",
                "test_a_reader_who_is_ahead_of_a_restored_feed_is_told",
            ),
            "outages/test_failover.py": (
                "test_a_reader_who_is_ahead_of_a_standby_is_told_and_misses_nothing",
            ),
        },
    ),
    Row(
        "a restore that is killed or whose machine dies, also twice; a log of another file, a"
        " corrupt page",
        "the old or the restored database; not started, or not ready, with what to do",
        {
            "test_restore.py": (
                "test_a_restore_that_is_killed_is_finished_or_has_changed_nothing",
                "test_a_machine_that_dies_twice_in_a_restore_loses_nothing",
                "test_the_log_of_another_file_is_not_applied_to_a_copy",
                "test_after_a_kill_a_corrupt_database_is_not_opened",
                "test_a_service_on_a_corrupt_file_is_not_ready_and_says_what_to_do",
            ),
        },
    ),
    Row(
        "an operator who locks a whole table",
        "not ready",
        {
            "test_held_accounts.py": ("test_it_is_not_ready_while_an_operator_locks_a_table",),
        },
    ),
    Row(
        "the database is lost, and a standby that each transaction waits for takes its place",
        "the processes go on by themselves; nothing is lost",
        {
            "outages/test_failover.py": (
                "test_nothing_is_lost_with_a_standby_that_each_transaction_waits_for",
            ),
        },
    ),
    Row(
        "a clock that was years ahead",
        "a warning, and a command that corrects what it has dated; on PostgreSQL not ready",
        {
            "test_wrong_clock.py": ("test_what_a_wrong_clock_has_dated_is_corrected",),
            "test_held_accounts.py": ("test_it_is_not_ready_when_its_clock_is_off",),
        },
    ),
    Row(
        "a log pipe without a reader",
        "requests are answered; what is dropped is counted",
        {
            "outages/test_log_reader.py": (
                "test_a_log_that_nobody_reads_stops_no_request",
                "test_what_is_dropped_is_counted",
            ),
        },
    ),
    Row(
        "a process that has not got the next key for signing secrets",
        "not ready; a delivery that it cannot sign does not count as an attempt",
        {
            "test_encryption.py": ("test_secrets_are_encrypted_and_their_key_is_rotated",),
            "test_delivery_runner.py": ("test_an_attempt_that_is_never_made_does_not_count",),
        },
    ),
    Row(
        "a partner with hundreds of thousands of rows in each table",
        "no statement does more work, with and without statistics",
        {"test_plans.py": ("test_no_statement_reads_more_because_there_is_more",)},
    ),
    Row(
        "a partner who sends all requests of a minute at once",
        "they wait behind each other, and others pass them; a wait ends, also when it stops",
        {
            "test_slots.py": (
                "test_a_burst_delays_only_itself",
                "test_each_operation_waits_for_slots_of_its_partner_only",
                "test_an_order_does_not_wait_behind_the_reads_of_its_partner",
                "test_slots_are_waited_for_a_limited_time",
                "test_requests_that_wait_are_answered_when_the_service_stops",
                "test_clients_that_go_away_keep_no_slots",
            ),
        },
    ),
    Row(
        "a reset of a large sandbox, and `kill -9` in the middle",
        "everything is gone at once, and removed in parts, which go on after the restart",
        {
            "test_reset.py": (
                "test_everything_is_gone_at_once_for_the_partner_and_for_nobody_else",
                "test_each_part_has_few_rows_and_none_of_others",
                "test_a_reset_survives_kill_9",
                "test_orders_and_resets_at_once_leave_nothing_after_the_last_reset",
            ),
        },
    ),
)


def table() -> str:
    """The rows as Markdown, for docs/service-faults.md."""
    lines = ["| Fault or load | Must | Tests |\n|---|---|---|\n"]
    for row in ROWS:
        shown = "; ".join(
            f"[{file}](../tests/service/{file}): {', '.join(f'`{test}`' for test in tests)}"
            for file, tests in row.tests.items()
        )
        lines.append(f"| {row.fault} | {row.must} | {shown} |\n")
    return "".join(lines)
