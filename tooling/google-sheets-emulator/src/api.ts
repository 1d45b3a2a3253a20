import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallLog } from './calls.js';
import type { SearchOptions } from './exchange.js';
import type { Fault, Faults } from './faults.js';
import { type Api, GoogleError } from './google-error.js';
import type { QuotaMeter } from './quota.js';
import { replyAsIs, replyJson } from './reply.js';
import { readJson } from './request-body.js';
import { findRoute, kindOf } from './routes.js';
import type { Store } from './store.js';
import type { Tokens } from './tokens.js';

/** What a call to the emulated APIs meets on its way. */
export interface ApiParts {
  readonly store: Store;
  readonly tokens: Tokens;
  readonly quota: QuotaMeter;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly now: () => number;
  readonly publicUrl: () => string;
  readonly search: SearchOptions;
  /** How long every call takes at least. */
  readonly latencyMs: number;
  /** Aborted when the emulator closes; ends calls that are being held back. */
  readonly closing: AbortSignal;
}

/** Serves one call: note it, let a fault have it, check token and quota, do the work, answer. */
export async function serveApi(
  parts: ApiParts,
  api: Api,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? 'GET';
  const path = url.pathname + url.search;
  const call = parts.calls.begin(api, method, path, parts.now());
  const fault = parts.faults.take(method, path);
  const [status, body] = await outcome(parts, api, url, request, fault, (user) => {
    call.user = user;
  });
  if (fault?.cut) {
    request.socket.destroy();
    return;
  }
  call.status = status;
  for (const [name, value] of Object.entries(fault?.headers ?? {})) response.setHeader(name, value);
  if (fault?.body === undefined) replyJson(response, status, body);
  else replyAsIs(response, status, fault.body);
}

async function outcome(
  parts: ApiParts,
  api: Api,
  url: URL,
  request: IncomingMessage,
  fault: Fault | undefined,
  identified: (user: string) => void,
): Promise<[status: number, body: unknown]> {
  try {
    const body = await readJson(request);
    const delayMs = parts.latencyMs + (fault?.delayMs ?? 0);
    if (delayMs > 0) await pause(delayMs, undefined, { signal: parts.closing });
    if (fault?.until) await settledOr(fault.until, parts.closing);
    if (fault?.cut === 'before') return [0, undefined];
    const user = parts.tokens.userOf(request.headers.authorization);
    identified(user);
    if (fault?.status) throw injected(fault.status, fault);
    parts.quota.spend(api, kindOf(request.method ?? 'GET', url.pathname), user);
    const found = findRoute(request.method ?? 'GET', url.pathname);
    if (!found) throw new GoogleError(404, `Not emulated: ${request.method} ${url.pathname}`);
    const [operation, id] = found;
    const exchange = {
      store: parts.store,
      query: url.searchParams,
      body,
      user,
      publicUrl: parts.publicUrl(),
      search: parts.search,
    };
    return [200, operation(exchange, id)];
  } catch (error) {
    if (error instanceof GoogleError) return [error.code, error.body(api)];
    if (parts.closing.aborted) return [503, new GoogleError(503, 'The emulator is closing.').body(api)];
    throw error;
  }
}

/** @throws the signal's reason when that is aborted first. */
async function settledOr(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const settled = awaited.then(
    () => {},
    () => {},
  );
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  signal.throwIfAborted();
  await Promise.race([settled, aborted]);
}

function injected(status: number, { reason, message }: Fault): GoogleError {
  const otherwise =
    status === 429 ? 'Resource has been exhausted (e.g. check quota).' : `Injected fault ${status}.`;
  return new GoogleError(status, message ?? otherwise, reason === undefined ? {} : { reason });
}
