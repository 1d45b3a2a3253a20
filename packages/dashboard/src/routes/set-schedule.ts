import { type Enqueueable, ScheduleNotFoundError } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { requirePermission } from '../access.js';
import type { Fields } from '../http/fields.js';
import { Problem } from '../http/problem.js';
import { rulesIn, timesIn } from '../schedule-fields.js';
import type { Call } from './route.js';

/**
 * Makes a schedule of a `kind` whose handler is here, or without a `kind` changes the one of this name. What a change leaves
 * out of the job stays. It needs `enqueue`, because it brings new jobs, and `schedules`.
 */
export async function setSchedule({ rowlock, operator, fields, viewer, redact }: Call): Promise<object> {
  requirePermission(viewer, 'schedules');
  const name = fields.text('name');
  const kind = fields.textOr('kind', undefined);
  const found = (await rowlock.schedules.list()).find((each) => each.name === name);
  const before = kind === undefined ? changeable(name, found, fields) : undefined;
  if (kind !== undefined && found !== undefined)
    throw new Problem(
      409,
      `There is a schedule ${JSON.stringify(name)} already: change it, or choose another name.`,
    );
  const given = fields.value('payload');
  if (before !== undefined && redact !== undefined && given !== undefined)
    throw new Problem(409, 'Payloads are redacted here, so they cannot be changed here.');
  const payload = given === undefined ? before?.payload : given;
  if (payload === undefined) throw new Problem(400, 'payload is missing.');
  const key = fields.textOr('key', '');
  const schedule = {
    handler: handlerOf(rowlock.handlers, kind ?? before?.kind ?? '', before),
    payload,
    key: key === '' ? null : key,
    priority: fields.number('priority'),
    ...(before !== undefined && { attempts: before.maxAttempts, metadata: before.metadata }),
    ...timesIn(fields, before?.anchor ?? null),
    ...rulesIn(fields),
  };
  await operator.schedules.set(name, schedule);
  return {};
}

/** @throws ScheduleNotFoundError, Problem 409 */
function changeable(name: string, found: ScheduleView | undefined, fields: Fields): ScheduleView {
  if (found === undefined) throw new ScheduleNotFoundError(name);
  if (found.source === 'code')
    throw new Problem(409, 'A program declares this schedule in code: it is changed there.');
  if (found.updatedAt.getTime() !== fields.time('updatedAt')?.getTime())
    throw new Problem(409, `${found.updatedBy} has changed the schedule meanwhile: read it again.`);
  return found;
}

/** In the queue that it has. @throws Problem 404 */
function handlerOf(
  handlers: readonly Enqueueable[],
  kind: string,
  before: ScheduleView | undefined,
): Enqueueable {
  const handler = handlers.find((each) => each.kind === kind);
  if (handler === undefined)
    throw new Problem(404, `This program has no handler of ${JSON.stringify(kind)}.`);
  return before === undefined ? handler : { ...handler, queue: before.queue };
}
