/** The database cannot be reached now. What was asked for may work a little later. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';

  constructor(cause: unknown) {
    super('The database cannot be reached.', { cause });
  }
}

/**
 * Does what asks the database, and tells its being away from what is wrong with a statement.
 *
 * @param isLost Whether the client's error, which has this code, speaks of the connection.
 * @throws DatabaseAwayError
 */
export async function away<Result>(
  work: () => Promise<Result>,
  isLost: (error: Error, code: string) => boolean,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = 'code' in error ? String(error.code) : '';
    throw SOCKET_CODES.has(code) || isLost(error, code) ? new DatabaseAwayError(error) : error;
  }
}

/** Codes of the operating system's errors, which both clients pass on. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
