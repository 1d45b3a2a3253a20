import type { State } from '@rowlock/core';
import { type JobFilter, listed, OUTSTANDING, SETTLED, type TimeRange } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';

/** The values of a statement. Each use has a placeholder of its own, with its type. */
export class Values {
  readonly #values: (string | null)[];

  constructor(...first: readonly (string | null)[]) {
    this.#values = [...first];
  }

  add(value: unknown, type: string): string {
    this.#values.push(toText(value));
    return `$${this.#values.length}::${type}`;
  }

  get all(): readonly (string | null)[] {
    return this.#values;
  }
}

/** The conditions of a filter on a row, without those of public ids, of the key and of the status. */
export function conditionsOf(filter: JobFilter, values: Values): readonly string[] {
  const { created, settled, due, error, payload } = filter;
  return [
    ...ofQueueAndKind(filter, values),
    ...ofTime('job.created_at', created, values),
    ...ofTime('job.finished_at', settled, values),
    ...ofTime('job.available_at', due, values),
    ...(error?.code === undefined ? [] : [`job.error ->> 'code' = ${values.add(error.code, 'text')}`]),
    ...(error?.text === undefined
      ? []
      : [`strpos(job.error ->> 'message', ${values.add(error.text, 'text')}) > 0`]),
    ...(payload === undefined ? [] : [`job.payload @> ${values.add(JSON.stringify(payload), 'jsonb')}`]),
  ];
}

/** The conditions that can be told from the row of a waiting job, in a join as well. */
export function ofQueueAndKind(
  { queue, kind }: Pick<JobFilter, 'queue' | 'kind'>,
  values: Values,
): readonly string[] {
  const kinds = listed(kind);
  return [
    ...(queue === undefined ? [] : [ofQueue(queue, values)]),
    ...(kinds === undefined ? [] : [`job.kind = ANY(${values.add(kinds, 'text[]')})`]),
  ];
}

/** One queue is an equality, by which an index of queues is in the order of what follows. */
function ofQueue(queue: string | readonly string[], values: Values): string {
  return typeof queue === 'string'
    ? `job.queue = ${values.add(queue, 'text')}`
    : `job.queue = ANY(${values.add(queue, 'text[]')})`;
}

function ofTime(column: string, range: TimeRange | undefined, values: Values): readonly string[] {
  const time = (at: Date): string => `to_timestamp(${values.add(at.getTime(), 'float8')} / 1000)`;
  return [
    ...(range?.from === undefined ? [] : [`${column} >= ${time(range.from)}`]),
    ...(range?.before === undefined ? [] : [`${column} < ${time(range.before)}`]),
  ];
}

/** The condition of the status that operators see, and whether it needs `running`. */
export interface StatusCondition {
  readonly text: string;
  readonly needsRunning: boolean;
}

/** A held job is `new` in its row, and is shown as `in-progress`. */
export function ofStatus(states: readonly State[], values: Values): StatusCondition {
  const outstanding = OUTSTANDING.filter((state) => states.includes(state));
  const settled = SETTLED.filter((state) => states.includes(state));
  const [only] = outstanding;
  const rows = `job.status = ANY(${values.add([...settled, ...(only === undefined ? [] : OUTSTANDING)], 'text[]')})`;
  if (only === undefined || outstanding.length === OUTSTANDING.length)
    return { text: rows, needsRunning: false };
  const shown =
    only === 'new'
      ? "(job.status <> 'in-progress' AND job.id NOT IN (SELECT id FROM running))"
      : "(job.status <> 'new' OR job.id IN (SELECT id FROM running))";
  return { text: `${rows} AND ${shown}`, needsRunning: true };
}
