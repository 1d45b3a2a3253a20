import {
  type Enqueueable,
  type Enqueued,
  type EnqueueOptions,
  JobNotFoundError,
  type JobView,
} from '@rowlock/core';
import { Problem } from '../http/problem.js';
import { CONTEXT } from '../job-links.js';
import { jsonSchemaOf } from '../json-schema.js';
import { UNCHECKED } from '../unchecked.js';
import type { KindView } from '../views.js';
import type { Call } from './route.js';

/** The kinds of which this program has the handler, by name. */
export function kinds({ rowlock }: Call): readonly KindView[] {
  return rowlock.handlers
    .map(({ kind, queue = 'default', payload }) => ({ kind, queue, schema: jsonSchemaOf(payload) }))
    .sort((one, other) => one.kind.localeCompare(other.kind));
}

/**
 * A new job of a `kind` whose handler is here, or one like the job `again`. What is left out is as in that job, or as the
 * handler says. The job's metadata says who has made it. A request with the same word `once` makes no second job.
 */
export async function enqueue({ rowlock, operator, fields, viewer, redact }: Call): Promise<Enqueued> {
  const again = fields.textOr('again', undefined);
  const like = again === undefined ? undefined : await jobLike(rowlock, again);
  const given = fields.value('payload');
  const payload = given === undefined ? like?.payload : given;
  if (payload === undefined) throw new Problem(400, 'payload is missing.');
  if (like !== undefined && redact !== undefined && given !== undefined)
    throw new Problem(409, 'Payloads are redacted here, so a job is enqueued again with its own.');
  const handler = handlerOf(rowlock.handlers, like?.kind ?? fields.text('kind'), like);
  const key = fields.textOr('key', like?.key ?? '');
  const runAt = fields.time('runAt');
  return operator.enqueue(handler, {
    payload,
    key: key === '' ? null : key,
    priority: fields.value('priority') === undefined ? (like?.priority ?? 0) : fields.number('priority'),
    metadata: { ...like?.metadata, 'rowlock.by': viewer.name },
    ...(like !== undefined && { attempts: like.maxAttempts }),
    ...(runAt !== undefined && { runAt }),
    ...uniqueIn(fields),
  });
}

/** A unique key that was typed, or else one of the word `once`. */
function uniqueIn(fields: Call['fields']): Pick<EnqueueOptions<unknown>, 'unique'> {
  const unique = fields.textOr('unique', '');
  if (unique !== '') return { unique };
  const once = fields.textOr('once', '');
  return once === '' ? {} : { unique: { key: `dashboard ${once}`, scope: 'ever' } };
}

/** With its payload in clear, where a codec is here. Its trace is not that of the new one. @throws JobNotFoundError */
async function jobLike(rowlock: Call['rowlock'], id: string): Promise<JobView> {
  const found = await rowlock.find(id);
  if (found === undefined) throw new JobNotFoundError(id);
  const handler = rowlock.handlers.find(({ kind }) => kind === found.kind);
  const payload = handler?.codec === undefined ? found.payload : await inClear(rowlock, handler, id);
  const kept = Object.entries(found.metadata).filter(([name]) => !CONTEXT.some((each) => each === name));
  return { ...found, payload, metadata: { ...Object.fromEntries(kept), 'rowlock.again': found.publicId } };
}

/** @throws JobNotFoundError when it was deleted meanwhile */
async function inClear(
  rowlock: Call['rowlock'],
  handler: Enqueueable,
  id: string,
): Promise<JobView['payload']> {
  const job = await rowlock.find(handler, id);
  if (job === undefined) throw new JobNotFoundError(id);
  return job.payload;
}

/** @throws Problem 404 */
function handlerOf(handlers: readonly Enqueueable[], kind: string, like: JobView | undefined): Enqueueable {
  const handler = handlers.find((each) => each.kind === kind);
  if (handler !== undefined) return handler;
  if (like === undefined) throw new Problem(404, `This program has no handler of ${JSON.stringify(kind)}.`);
  // A worker's program checks the payload at the claim.
  return { ...UNCHECKED, kind, queue: like.queue, limit: limitsOf(like) };
}

function limitsOf({ limits }: JobView): Enqueueable['limit'] {
  return Object.entries(limits).map(([name, { perMs, ...numbers }]) => ({
    name,
    ...numbers,
    ...(perMs !== undefined && { per: perMs }),
  }));
}
