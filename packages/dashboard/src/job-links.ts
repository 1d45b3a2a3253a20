import { InvalidInputError, type JobView, type Logger } from '@rowlock/core';
import { isUnawaited } from './unawaited.js';
import type { JobLinks } from './views.js';

/** A trace, as `@rowlock/telemetry` writes it into a job's metadata in the format of the W3C. */
export interface JobTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span that has enqueued the job: 16 hexadecimal digits. */
  readonly spanId: string;
}

/** A job without what `redact` may hide. */
export type LinkedJob = Omit<JobView, 'payload' | 'output' | 'progress' | 'metadata' | 'error'>;

/** Where other tools have more about a job. A link has an address of http or https. */
export interface JobUrls {
  /** The address of a job's trace, called for jobs that carry one. Null, and by default: no link. */
  readonly traceUrl?: (trace: JobTrace, job: LinkedJob) => string | null;
  /** The address of what was logged about a job. Null, and by default: no link. */
  readonly logUrl?: (job: LinkedJob) => string | null;
}

export type LinksOf = (job: JobView) => JobLinks;

/**
 * Makes the links of jobs. One that fails, or gives no address, is left out, and the log says so once.
 *
 * @throws InvalidInputError
 */
export function linksOfJobs({ traceUrl, logUrl }: JobUrls, log: Pick<Logger, 'error'>): LinksOf {
  for (const [name, url] of Object.entries({ traceUrl, logUrl }))
    if (url !== undefined && typeof url !== 'function')
      throw new InvalidInputError(`${name} must be a function that returns an address.`);
  const logged = new Set<string>();

  function addressOf(name: keyof JobUrls, made: () => unknown): string | null {
    try {
      return checked(name, made());
    } catch (err) {
      if (!logged.has(name)) log.error({ err }, `${name} has failed, and its link is left out`);
      logged.add(name);
      return null;
    }
  }

  return ({ payload, output, progress, metadata, error, ...job }) => {
    const trace = traceUrl && traceOf(metadata);
    return {
      trace: trace ? addressOf('traceUrl', () => traceUrl(trace, job)) : null,
      log: logUrl ? addressOf('logUrl', () => logUrl(job)) : null,
    };
  };
}

/** An address of another scheme would be a program. @throws InvalidInputError */
function checked(name: string, address: unknown): string | null {
  if (address === null || address === undefined) return null;
  const url = isUnawaited(address) ? null : URL.parse(String(address));
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new InvalidInputError(
    `${name} must return an address that begins with https:// or http://, or null.`,
  );
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/;

/** The names under which telemetry writes the context: that of the run, or one to which the run has a link alone. */
export const CONTEXT = ['traceparent', 'tracestate', 'baggage', 'rowlock.link'] as const;

function traceOf(metadata: JobView['metadata']): JobTrace | undefined {
  const text = metadata.traceparent ?? Object(metadata['rowlock.link']).traceparent;
  const [, traceId, spanId] = TRACEPARENT.exec(String(text)) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
