/** Something to be measured. Its Prometheus name has `_` for dots, then its unit, and `_total` if it is a counter. */
export interface Metric {
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** Its name in OpenTelemetry. */
  readonly name: string;
  /** As in UCUM: `s` is seconds, and braces have what is counted. */
  readonly unit: string;
  readonly help: string;
  /** The names of its labels, which OpenTelemetry calls attributes. */
  readonly labels: readonly string[];
}

/** What happens to jobs in this process. */
export const COUNTERS = {
  enqueued: counter('jobs.enqueued', '{job}', 'Calls that enqueue, by job. A duplicate is not written.', [
    'queue',
    'kind',
    'outcome',
  ]),
  settled: counter('jobs.settled', '{job}', 'Ends of runs, by job. A retry is one of them.', [
    'queue',
    'kind',
    'outcome',
  ]),
  lost: counter('runs.lost', '{run}', 'Runs that lost their claim, or could not be settled.', [
    'queue',
    'kind',
  ]),
  faults: counter('worker.faults', '{fault}', 'Failures of workers while they look for work.', []),
} as const satisfies Record<string, Metric>;

/** Times in this process. */
export const HISTOGRAMS = {
  waiting: histogram('job.waiting', 'The time from when a job is due to when its run begins.'),
  duration: histogram('run.duration', 'The time that a handler takes, with middleware.'),
} as const satisfies Record<string, Metric>;

/** What is true of this process at the moment. */
export const PROCESS_GAUGES = {
  active: gauge('runs.active', '{run}', 'Runs that go on in this process.', ['queue', 'kind']),
  oldest: gauge('run.oldest', 's', 'The age of the oldest run that goes on in this process.', [
    'queue',
    'kind',
  ]),
  leftBehind: gauge(
    'runs.left_behind',
    '{run}',
    'Handlers in this process that ignored their signals and still run.',
    ['queue', 'kind'],
  ),
  concurrency: gauge(
    'worker.concurrency',
    '{run}',
    'How many runs the workers of this process may have at once.',
    [],
  ),
} as const satisfies Record<string, Metric>;

const LANE = ['queue', 'kind'];

/** What is true of the database at the moment. Each process reads the same. */
export const DATABASE_GAUGES = {
  up: gauge('database.up', '{database}', 'Whether the database has answered: 1 or 0.', []),
  slow: gauge(
    'database.slow',
    '{database}',
    'Whether an answer of the database took more than 2 s: 1 or 0.',
    [],
  ),
  workersAlive: gauge('workers.alive', '{worker}', 'Workers that are alive, by queue that they serve.', [
    'queue',
  ]),
  waiting: gauge(
    'jobs.waiting',
    '{job}',
    'Jobs that no run has, due or delayed. Up to a bound of 10,000.',
    LANE,
  ),
  oldestDue: gauge('job.oldest_due', 's', 'How long the oldest due job has been due. 0 without one.', LANE),
  unserved: gauge('jobs.unserved', '{job}', 'Due jobs that no live worker takes.', LANE),
  limitMax: gauge('limit.max', '{slot}', 'How many slots a limit has, as set or as jobs say.', ['limit']),
  limitTaken: gauge('limit.taken', '{slot}', 'Slots of a limit that are taken.', ['limit']),
  limitWaiting: gauge('limit.waiting', '{job}', 'Due jobs with a limit that no run has.', ['limit']),
  limitNextStart: gauge('limit.next_start', 's', 'How long until a limit allows the next start. 0: now.', [
    'limit',
  ]),
  skipped: gauge(
    'schedule.skipped',
    '{tick}',
    'Ticks of a schedule without a job, as an earlier one was outstanding, since it was made.',
    ['schedule'],
  ),
  broken: gauge('schedule.broken', '{schedule}', '1 for each schedule that cannot be fired.', ['schedule']),
  paused: gauge('pauses', '{pause}', '1 for each pause that has not ended.', ['scope', 'name']),
} as const satisfies Record<string, Metric>;

/** All of them, in the order in which they are shown. */
export const METRICS: readonly Metric[] = [COUNTERS, HISTOGRAMS, PROCESS_GAUGES, DATABASE_GAUGES].flatMap(
  (some) => Object.values(some),
);

export type CounterName = keyof typeof COUNTERS;
export type HistogramName = keyof typeof HISTOGRAMS;

/** The upper bounds of a histogram's buckets, in seconds. Handlers may take minutes. */
export const BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600,
];

function counter(name: string, unit: string, help: string, labels: readonly string[]): Metric {
  return { type: 'counter', name: `rowlock.${name}`, unit, help, labels };
}

function histogram(name: string, help: string): Metric {
  return { type: 'histogram', name: `rowlock.${name}`, unit: 's', help, labels: ['queue', 'kind'] };
}

function gauge(name: string, unit: string, help: string, labels: readonly string[]): Metric {
  return { type: 'gauge', name: `rowlock.${name}`, unit, help, labels };
}
