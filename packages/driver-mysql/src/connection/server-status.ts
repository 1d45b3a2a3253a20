/** Flags of the server's status, which comes with each answer without rows. */
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

export function isInTransaction(status: number): boolean {
  return (status & IN_TRANSACTION) !== 0;
}

/** Whether the next statement is in a transaction. Without autocommit it begins one, if none is open. */
export function isOpen(status: number): boolean {
  return isInTransaction(status) || (status & AUTOCOMMIT) === 0;
}
