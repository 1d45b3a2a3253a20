/** Whatever the server's defaults: a claim and the locks after it must each see what is committed by then. */
export const BEGIN = { name: 'rowlock.begin', text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE' };
export const COMMIT = { name: 'rowlock.commit', text: 'COMMIT' };

/** Begins the next transaction as the one before it was begun. */
export const COMMIT_AND_CHAIN = { name: 'rowlock.chain', text: 'COMMIT AND CHAIN' };
