import { setTimeout as sleep } from 'node:timers/promises';
import { GoogleRequestError, GoogleUnavailableError, SheetError } from './errors.js';
import { type Refusal, readRefusal } from './refusal.js';

/** How long one operation may go on. */
export interface CallLimits {
  /** Ends the call and the waiting; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** When to give up, ms since the epoch; default 60 s from now. */
  readonly deadline?: number;
}

interface BackoffOptions {
  readonly unrepeatable?: boolean;
  readonly isOwn?: boolean;
  readonly parts?: BackoffParts;
}

/** What the waiting is made of; a test gives its own. */
export interface BackoffParts {
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const DEFAULT_PARTS: BackoffParts = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

const DEFAULT_LIMIT_MS = 60_000;
const MAX_JITTER_MS = 1_000;
const MAX_BACKOFF_MS = 64_000;
/** What the last try leaves of the time, for the calls after it. */
const RESERVE_MS = 10_000;
/** Less time than this is not enough for another try when a quota is used up: a try without an answer would count as an attempt. */
const LEAST_MS = 5_000;

/**
 * Makes a call to Google, and makes it again after a pause when it was refused for the moment (408, 409, 429, 5xx, no connection):
 * `min(2^n s + up to 1 s of jitter, 64 s)`, the truncated exponential backoff that Google asks for.
 * Source: https://developers.google.com/workspace/sheets/api/limits#exponential
 *
 * A pause after a quota that is used up is cut rather than end the waiting: the next minute may begin before the deadline.
 *
 * @param isOwn the call is about a file that this job has made: Google's services do not all have it at once, so a 404 passes
 * @param unrepeatable the call must not be made twice: only a refusal that certainly did nothing is followed by another try
 * @throws GoogleUnavailableError when the deadline would pass before the next try, or an unrepeatable call ended unclear
 * @throws GoogleRequestError when another try is of no use
 * @throws SheetError as the call itself throws it
 */
export async function withBackoff<T>(
  what: string,
  call: (signal: AbortSignal) => Promise<T>,
  { signal, deadline }: CallLimits = {},
  { unrepeatable = false, isOwn = false, parts = DEFAULT_PARTS }: BackoffOptions = {},
): Promise<T> {
  const giveUp = deadline ?? parts.now() + DEFAULT_LIMIT_MS;
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    const left = giveUp - parts.now();
    const delay = backoffDelay(tries, parts.random());
    if (left <= 0) throw new GoogleUnavailableError(`${what}: no time was left to ask Google.`, delay);
    const bounded = AbortSignal.any([AbortSignal.timeout(Math.ceil(left)), ...(signal ? [signal] : [])]);
    let refusal: Refusal;
    try {
      return await unlessAborted(call(bounded), bounded);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SheetError) throw error;
      refusal = readRefusal(error);
    }
    const { isQuota, cause, status } = refusal;
    const kind = isOwn && status === 404 ? 'refused' : refusal.kind;
    if (kind === 'final') throw new GoogleRequestError(sentence(what, refusal), status, { cause });
    const wait = Math.max(delay, refusal.retryAfterMs);
    const pause = pauseWithin(giveUp - parts.now(), wait, refusal);
    if ((unrepeatable && kind === 'unclear') || pause === undefined) {
      const why = kind === 'refused' ? 'Google takes no more for the moment' : 'Google is not available';
      throw new GoogleUnavailableError(`${what}: ${why} (${cause.message}).`, wait, { cause, isQuota });
    }
    await parts.sleep(pause, bounded).catch(() => signal?.throwIfAborted());
  }
}

/** Not everything that a call waits for ends with its signal: several calls wait for one access token. */
function unlessAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The pause before the next try, if there is time for one. */
function pauseWithin(left: number, wait: number, { isQuota, retryAfterMs }: Refusal): number | undefined {
  if (wait < left - (isQuota ? LEAST_MS : 0)) return wait;
  const cut = left - RESERVE_MS;
  return isQuota && cut >= Math.max(retryAfterMs, MAX_JITTER_MS) ? cut : undefined;
}

/** The pause before try `tries + 1`, in ms. */
export function backoffDelay(tries: number, random: number): number {
  return Math.min(2 ** tries * 1000 + Math.round(random * MAX_JITTER_MS), MAX_BACKOFF_MS);
}

const ADVICE: Readonly<Record<number, string>> = {
  400: 'Google does not accept the request',
  401: 'Google does not accept the credentials: check the key, and that it was not revoked',
  403: 'Google does not permit this: check that both APIs are enabled and that the account may edit the file and its folder',
  404: 'Google does not have this file, or the account may not see it',
  413: 'the spreadsheet is too large for one request',
};

function sentence(what: string, { status, cause }: Refusal): string {
  const advice = (status !== undefined && ADVICE[status]) || 'the request could not be made';
  return `${what}: ${advice} (${cause.message}).`;
}
