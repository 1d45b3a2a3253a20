/**
 * In a statement's condition: its transaction is committed without waiting for the disk, and somebody has to wait for that behind it.
 * https://www.postgresql.org/docs/current/wal-async-commit.html
 */
export const UNFLUSHED = "set_config('synchronous_commit', 'off', true) = 'off'";
