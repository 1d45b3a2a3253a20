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
 * @throws RequestFailed; status 0 when there was no answer.
 */
export async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
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
