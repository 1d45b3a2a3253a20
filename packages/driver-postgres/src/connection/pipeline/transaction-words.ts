/** Overrides the server's defaults: a claim and the later locks must each see everything that is committed by then. */
export const BEGIN = { name: 'rowlock.begin', text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE' };
/** Of what only reads, so that a standby can do it too. */
export const BEGIN_READING = 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY';
export const COMMIT = { name: 'rowlock.commit', text: 'COMMIT' };

/** Begins the next transaction with the settings of the one before it. */
export const COMMIT_AND_CHAIN = { name: 'rowlock.chain', text: 'COMMIT AND CHAIN' };
