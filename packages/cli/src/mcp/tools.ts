import { InvalidInputError, type Rowlock, STATES } from '@rowlock/core';
import type { Insight, Jobs, LimitSettings, Schedules } from '@rowlock/core/types';
import { filterOf } from '../commands/jobs/filter.js';
import type { Tool } from './protocol.js';

/** All that the tools can reach of a Rowlock: nothing of it changes anything. */
export interface Looks extends Pick<Rowlock<unknown>, 'find'> {
  readonly jobs: Pick<Jobs<unknown>, 'list' | 'count' | 'pauses'>;
  readonly limits: Pick<LimitSettings, 'list'>;
  readonly schedules: Pick<Schedules<unknown>, 'list'>;
  readonly insight: Pick<Insight<unknown>, 'explain' | 'picture' | 'runs' | 'stats' | 'trend' | 'workers'>;
}

interface Parameter {
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly enum?: readonly string[];
}

type Taken = Readonly<Record<string, Parameter>>;
type Input = Readonly<Record<string, unknown>>;

/** @param answered What leaves the tools in place of an answer. */
export function toolsOf(looks: Looks, answered: (answer: unknown) => unknown): readonly Tool[] {
  return DESCRIBED.map(({ name, title, description, parameters, required = [], read }) => ({
    name,
    title,
    description,
    inputSchema: { type: 'object', properties: parameters, required, additionalProperties: false },
    async call(input) {
      check(input, parameters, required);
      return answered(await read(looks, input));
    },
  }));
}

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Taken;
  readonly required?: readonly string[];
  readonly read: (looks: Looks, input: Input) => Promise<unknown>;
}

const ID: Taken = { id: { type: 'string', description: "The job's public id, a UUID." } };

const FILTER: Taken = {
  queue: { type: 'string', description: 'Of this queue.' },
  kind: { type: 'string', description: 'Of this kind.' },
  key: { type: 'string', description: 'Of this key: the entity that a job is about.' },
  status: { type: 'string', description: 'In this state.', enum: STATES },
  errorCode: { type: 'string', description: 'With this code of an error.' },
  errorText: { type: 'string', description: 'With this text in the message of the error.' },
};

const DESCRIBED: readonly Described[] = [
  {
    name: 'status',
    title: 'Status',
    description:
      'How many jobs of each queue and kind are due, delayed and running, what was settled within the last hour, the workers, and what is paused. Begin here.',
    parameters: {},
    async read({ insight, jobs }) {
      const [{ lanes }, workers, pauses] = await Promise.all([
        insight.stats(),
        insight.workers(),
        jobs.pauses(),
      ]);
      return { lanes, workers, pauses };
    },
  },
  {
    name: 'why',
    title: 'Why a job waits',
    description: 'What keeps a job from running, or why it ended as it did, in sentences with their data.',
    parameters: ID,
    required: ['id'],
    read: ({ insight }, input) => insight.explain(String(input.id)),
  },
  {
    name: 'show_job',
    title: 'One job',
    description: 'A job with its runs: times, attempts, workers, and the error with its stack.',
    parameters: ID,
    required: ['id'],
    async read(looks, input) {
      const id = String(input.id);
      const job = await looks.find(id);
      if (job === undefined) throw new InvalidInputError(`There is no job ${id}. It may have been pruned.`);
      return { job, runs: await looks.insight.runs(id) };
    },
  },
  {
    name: 'list_jobs',
    title: 'Jobs',
    description:
      'Jobs by conditions that must all hold, newest first. `cursor` of an answer leads to the next page.',
    parameters: {
      ...FILTER,
      limit: { type: 'integer', description: 'The most, 1 to 200. Default 20.' },
      cursor: { type: 'string', description: 'Of the page before.' },
    },
    read({ jobs }, input) {
      const limit = Number(input.limit ?? 20);
      if (limit > 200) throw new InvalidInputError('limit must be at most 200.');
      return jobs.list({ ...conditionsOf(input), limit, cursor: textOf(input.cursor) ?? null });
    },
  },
  {
    name: 'count_jobs',
    title: 'The number of jobs',
    description: 'How many jobs meet conditions that must all hold, up to 10,000.',
    parameters: FILTER,
    read: ({ jobs }, input) => jobs.count(conditionsOf(input)),
  },
  {
    name: 'queue_picture',
    title: 'The front of a queue',
    description:
      'What the next claims of a queue meet, in their order: which jobs run, wait, and are held up by which.',
    parameters: {
      queue: { type: 'string', description: 'The queue.' },
      limit: { type: 'integer', description: 'The most jobs. Default 50.' },
    },
    required: ['queue'],
    read: ({ insight }, input) =>
      insight.picture({ queue: String(input.queue), limit: Number(input.limit ?? 50) }),
  },
  {
    name: 'trend',
    title: 'Counts over time',
    description: 'What workers have settled, by minutes or hours, up to a week back.',
    parameters: {
      queue: { type: 'string', description: 'Of this queue. Default: all.' },
      minutes: { type: 'integer', description: 'How far back, up to 10080. Default 180.' },
    },
    read({ insight }, input) {
      const queue = textOf(input.queue);
      return insight.trend({
        last: `${Number(input.minutes ?? 180)}m`,
        ...(queue !== undefined && { queue }),
      });
    },
  },
  {
    name: 'limits',
    title: 'Limits',
    description: 'How many runs of each limit go on and may go on, and how many jobs wait for it.',
    parameters: {},
    read: ({ limits }) => limits.list(),
  },
  {
    name: 'schedules',
    title: 'Schedules',
    description: 'The schedules, when they fire next, and those that are broken, paused or skipping.',
    parameters: {},
    read: ({ schedules }) => schedules.list(),
  },
];

function conditionsOf(input: Input) {
  const kind = textOf(input.kind);
  const status = STATES.find((state) => state === input.status);
  return filterOf({
    queue: textOf(input.queue),
    kind: kind === undefined ? undefined : [kind],
    key: textOf(input.key),
    status: status === undefined ? undefined : [status],
    errorCode: textOf(input.errorCode),
    errorText: textOf(input.errorText),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws InvalidInputError when a client has sent what the schema of a tool does not have. */
function check(input: Input, parameters: Taken, required: readonly string[]): void {
  const missing = required.find((name) => input[name] === undefined);
  if (missing !== undefined) throw new InvalidInputError(`${missing} is missing.`);
  for (const [name, value] of Object.entries(input)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) throw new InvalidInputError(`There is no argument ${name}.`);
    const fits = parameter.type === 'string' ? typeof value === 'string' : Number.isSafeInteger(value);
    if (!fits)
      throw new InvalidInputError(
        `${name} must be ${parameter.type === 'string' ? 'a' : 'an'} ${parameter.type}.`,
      );
    if (parameter.enum && !parameter.enum.includes(String(value)))
      throw new InvalidInputError(`${name} must be one of ${parameter.enum.join(', ')}.`);
  }
}
