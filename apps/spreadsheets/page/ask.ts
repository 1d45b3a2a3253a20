/** The front end said no; the message is its problem detail. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Asks the front end.
 *
 * @param key Sent again with the same key, it is not done twice.
 * @throws RequestFailed; status 0 when there was no answer.
 */
export async function ask<Answer>(
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
  }).catch(() => {
    throw new RequestFailed(0, 'The server cannot be reached. Is it running?');
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw new RequestFailed(response.status, describe(problem) ?? response.statusText);
}

function describe(problem: {
  detail?: string;
  errors?: { at: string; message: string }[];
}): string | undefined {
  const errors = problem.errors?.map(({ at, message }) => (at ? `${at}: ${message}` : message)) ?? [];
  return errors.length > 0 ? `${problem.detail} ${errors.join('; ')}` : problem.detail;
}
