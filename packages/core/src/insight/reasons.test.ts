import { expect, test } from 'vitest';
import type { JobFacts } from '../driver/insight.js';
import type { PauseView } from '../driver/pause.js';
import { explain } from './explain.js';
import { picture } from './picture.js';
import type { Reason } from './reason.js';
import type { Looking } from './surroundings.js';

const NOW = new Date('2026-11-27T12:00:00Z');
const LATER = new Date(NOW.getTime() + 60_000);
const SINCE = new Date(NOW.getTime() - 60_000);
const RUN = { runId: 'run', worker: 'mill', since: SINCE, alive: true };
const NOBODY = { jobs: [], more: false };

function job(id: bigint, change: Partial<JobFacts> = {}): JobFacts {
  return {
    id,
    publicId: `job ${id}`,
    queue: 'mail',
    kind: 'send',
    key: null,
    priority: 0,
    limits: '',
    status: 'new',
    due: true,
    availableAt: SINCE,
    finishedAt: null,
    attempt: 0,
    maxAttempts: 3,
    error: null,
    run: null,
    followed: NOBODY,
    dependency: null,
    before: 0,
    ...change,
  };
}

function pause(scope: PauseView['scope'], name: string): PauseView {
  return { scope, name, until: null, reason: null, by: 'ann', pausedAt: SINCE };
}

/** The state of all the rest, where a scene does not matter. */
interface Scene {
  readonly jobs: readonly JobFacts[];
  readonly pauses?: readonly PauseView[];
  readonly kinds?: Readonly<Record<string, readonly string[]>>;
  readonly taken?: number;
  readonly nextInUs?: number;
}

function database({ jobs, pauses = [], kinds = { send: [] }, taken = 0, nextInUs = 0 }: Scene): Looking {
  const worker = {
    id: '1',
    name: 'mill',
    host: 'h',
    pid: 1,
    queues: ['mail'],
    schedules: [],
    kinds,
    ...{ concurrency: null, version: null, memory: null },
    running: [],
  };
  const alive = { alive: true, proof: 'session', lines: {}, startedAt: SINCE, stoppedAt: null } as const;
  return {
    name: 'facts',
    insight: {
      facts: async () => ({ now: NOW, jobs, more: false }),
      backlog: async () => [],
      runs: async () => undefined,
    },
    workers: { list: async () => [{ ...worker, ...alive }] },
    admission: {
      pauses: async () => pauses,
      limits: async () => [
        { name: 'door', set: null, taken, nextInUs: null },
        { name: 'maps', set: null, taken: 0, nextInUs },
      ],
      jobs: async () => ({ parts: [], held: [] }),
    },
  };
}

async function textsOf(scene: Scene): Promise<readonly string[]> {
  const { reasons } = await explain(database(scene), 'job 2');
  return reasons.map(({ text }: Reason) => text);
}

async function stateOf(scene: Scene): Promise<string> {
  const { jobs } = await picture(database(scene), { queue: 'mail' });
  const found = jobs.find(({ publicId }) => publicId === 'job 2');
  return [found?.state, ...(found?.waitsFor ? [found.waitsFor] : [])].join(' ');
}

const SCENES: readonly (Scene & { readonly state: string; readonly texts: readonly string[] })[] = [
  { jobs: [job(2n)], state: 'due', texts: [] },
  {
    jobs: [job(2n, { before: 1_001 })],
    state: 'due',
    texts: ['More than 1000 due jobs of its queue come first.'],
  },
  {
    jobs: [job(2n, { run: RUN })],
    pauses: [pause('all', '')],
    state: 'running',
    texts: ['It runs in run run on the worker "mill" since 2026-11-27T11:59:00.000Z.'],
  },
  {
    jobs: [job(2n, { due: false, availableAt: LATER })],
    state: 'delayed',
    texts: ['It is due at 2026-11-27T12:01:00.000Z.'],
  },
  {
    jobs: [
      job(2n, {
        due: false,
        availableAt: LATER,
        followed: { jobs: [{ publicId: 'x', kind: 'y' }], more: true },
      }),
    ],
    state: 'follows x',
    texts: ['It waits for the end of job x of the kind "y"; and others.'],
  },
  {
    jobs: [job(2n, { limits: '{"door":1}' })],
    pauses: [pause('queue', 'other'), pause('limit', 'door'), pause('kind', 'send')],
    state: 'paused',
    texts: [
      'The work of the limit "door" is paused by ann since 2026-11-27T11:59:00.000Z.',
      'The work of the kind "send" is paused by ann since 2026-11-27T11:59:00.000Z.',
    ],
  },
  {
    jobs: [job(2n)],
    kinds: { other: [] },
    state: 'unserved',
    texts: ['No live worker serves the kind "send" in the queue "mail".'],
  },
  {
    jobs: [job(1n, { key: 'a' }), job(2n, { key: 'a' }), job(3n, { key: 'a', run: RUN })],
    state: 'key job 3',
    texts: [
      'The key "a" is held by job job 3 of the kind "send" in run run on the worker "mill" since 2026-11-27T11:59:00.000Z.',
    ],
  },
  {
    jobs: [job(1n, { key: 'a', kind: 'other' }), job(2n, { key: 'a' })],
    state: 'earlier job 1',
    texts: [
      'Job job 1 of the kind "other" has the same key "a" and goes first. No live worker serves the kind "other" in the queue "mail".',
    ],
  },
  {
    jobs: [job(1n, { key: 'a', queue: 'other' }), job(3n, { key: 'a' }), job(2n, { key: 'a' })],
    state: 'due',
    texts: [],
  },
  {
    jobs: [job(1n, { key: 'a', due: false, availableAt: LATER }), job(2n, { key: 'a' })],
    state: 'due',
    texts: [],
  },
  {
    jobs: [job(2n, { key: 'a', dependency: { publicId: 'x', kind: 'create' } })],
    state: 'after x',
    texts: ['It waits for job x of the kind "create" of its key "a", as its handler\'s `after` says.'],
  },
  {
    jobs: [job(2n, { limits: '{"door":2,"maps":[1,1000,1]}', before: 1 })],
    taken: 2,
    nextInUs: 5_000_000,
    state: 'limit door',
    texts: [
      'All 2 slots of the limit "door" are taken.',
      'The starts of the limit "maps" are used up until 2026-11-27T12:00:05.000Z.',
      '1 due job of its queue comes first.',
    ],
  },
  { jobs: [job(2n, { limits: '{"door":2}' })], taken: 1, state: 'due', texts: [] },
  {
    jobs: [job(2n, { limits: '{"maps":[1,1000,1]}' })],
    nextInUs: 5_000_000,
    state: 'starts maps',
    texts: ['The starts of the limit "maps" are used up until 2026-11-27T12:00:05.000Z.'],
  },
];

test.each(SCENES)(
  '$state: a picture has the first of the reasons that an explanation names',
  async (scene) => {
    expect(await textsOf(scene)).toEqual(scene.texts);
    expect(await stateOf(scene)).toBe(scene.state);
  },
);

test('a job that has ended has no other reason', async () => {
  const jobs = [job(2n, { status: 'error', finishedAt: NOW, error: { code: 'E', message: 'no' }, key: 'a' })];
  expect(await textsOf({ jobs, pauses: [pause('all', '')] })).toEqual([
    'It ended as error at 2026-11-27T12:00:00.000Z, with E: no.',
  ]);
});

test('a driver without insight is refused in a sentence', async () => {
  const { insight: _, ...driver } = database({ jobs: [] });
  const refused = {
    code: 'ROWLOCK_INVALID_INPUT',
    message: expect.stringMatching(/^The driver "facts" does not/),
  };
  await expect(explain(driver, 'job 2')).rejects.toMatchObject(refused);
  await expect(picture(driver, { queue: 'mail' })).rejects.toMatchObject(refused);
});

test('a kind that one of several workers serves may have the name of a member of all objects', async () => {
  const mill = database({ jobs: [job(2n)] });
  const door = database({ jobs: [], kinds: { constructor: ['send'] } });
  const list = async () => [...(await door.workers.list()), ...(await mill.workers.list())];
  const { jobs } = await picture({ ...mill, workers: { list } }, { queue: 'mail' });
  expect(jobs).toMatchObject([{ state: 'due' }]);
});
