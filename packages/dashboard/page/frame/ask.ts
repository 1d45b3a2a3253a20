import type { PayloadIssue } from '@rowlock/core/types';

/**
 * Why a request has failed. `away`: there is no server, or it has no database. `signed-out`: nothing is shown to this viewer any
 * more. `refused`: this request was.
 */
export type Trouble = 'away' | 'signed-out' | 'refused';

/** The server has refused a request, or has not answered. The message says why. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';

  constructor(
    message: string,
    readonly trouble: Trouble = 'refused',
    /** Where a payload does not satisfy its schema. */
    readonly issues: readonly PayloadIssue[] = [],
  ) {
    super(message);
  }
}

/** @throws RequestFailed */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return answerIn(await send(path, { signal: signal ?? null }));
}

/** @throws RequestFailed */
export async function change(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    signal: signal ?? null,
  });
}

/** @throws RequestFailed where it does not come whole */
export async function answerIn<Answer>(response: Response): Promise<Answer> {
  return response.json().catch(() => {
    throw new RequestFailed('The answer was cut off on its way.', 'away');
  });
}

const SIGNED_OUT = 'You are signed out.';

async function send(path: string, request: RequestInit): Promise<Response> {
  // Relative, so that the page may be mounted anywhere. A redirect leads to a sign-in, which is no answer.
  const response = await fetch(`./api/${path}`, { ...request, redirect: 'manual' }).catch(
    (error: unknown) => {
      if (request.signal?.aborted) throw error;
      throw new RequestFailed('The server cannot be reached.', 'away');
    },
  );
  if (response.type === 'opaqueredirect') throw new RequestFailed(SIGNED_OUT, 'signed-out');
  if (response.ok && isOfDashboard(response)) return response;
  if (response.ok) throw new RequestFailed(SIGNED_OUT, 'signed-out');
  throw await failureOf(response);
}

/** A sign-in in front of the server may answer with its own page. */
function isOfDashboard({ headers }: Response): boolean {
  return /json\b/.test(headers.get('content-type') ?? '');
}

interface Problem {
  readonly detail?: string;
  readonly permission?: string;
  readonly issues?: readonly PayloadIssue[];
}

async function failureOf(response: Response): Promise<RequestFailed> {
  const { status } = response;
  // A proxy may answer with JSON of its own.
  const { detail, permission, issues }: Problem = Object(await response.json().catch(() => null));
  return new RequestFailed(
    detail ?? (status === 401 ? SIGNED_OUT : `The server has answered ${status}.`),
    troubleOf(status, permission),
    issues,
  );
}

function troubleOf(status: number, permission: string | undefined): Trouble {
  if (status === 401 || (status === 403 && permission === undefined)) return 'signed-out';
  return [502, 503, 504].includes(status) ? 'away' : 'refused';
}
