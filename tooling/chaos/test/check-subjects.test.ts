import { expect, test } from 'vitest';
import type { Happening, HistoryEvent } from '../src/history/event.js';
import { checkSubjects } from '../src/subjects/check-subjects.js';
import { kindOf, queueOf, RATE, SUBJECT_MODES } from '../src/subjects/kinds.js';
import { SUBJECT_SCHEDULES } from '../src/subjects/schedules.js';
import type { SubjectFacts, SubjectJob } from '../src/subjects/subject-facts.js';

const BEGAN_MS = Date.parse('2026-05-01T00:00Z');
const ENDED_MS = BEGAN_MS + 10_000;

const job = (
  publicId: string,
  kind: 'tick' | 'change' | 'counted',
  more: Partial<SubjectJob> = {},
): SubjectJob => ({
  ...{ publicId, queue: queueOf('hold'), kind: kindOf('hold', kind), key: null, status: 'complete' },
  ...{ tokens: [], increments: 0, ...more },
});

const events = (...more: readonly Happening[]): HistoryEvent[] => {
  const happenings: readonly Happening[] = [
    { what: 'hired', worker: 'old', mode: 'hold', pid: 1, isFrozen: true },
    { what: 'hired', worker: 'new', mode: 'hold', pid: 2, isFrozen: false },
    { what: 'subjects', beganAtMs: BEGAN_MS, endedAtMs: ENDED_MS },
    ...more,
  ];
  const told = happenings.map((each, at): HistoryEvent => ({ at, by: 'conductor', ...each }));
  const entered = (by: string): HistoryEvent => ({
    ...{ at: 0, by, what: 'entered', publicId: by, queue: queueOf('hold'), kind: kindOf('hold', 'tick') },
  });
  return [...told, entered('old'), entered('new')];
};

const ticks = SUBJECT_SCHEDULES.flatMap(({ name, instants }) =>
  instants(BEGAN_MS, ENDED_MS).map((atMs) => ({ schedule: name, atMs, jobs: 1 })),
);

const changed = SUBJECT_MODES.map((mode) =>
  job(`of ${mode}`, 'change', { kind: kindOf(mode, 'change'), key: '7' }),
);
const token = job('counted', 'counted', { tokens: ['t'], increments: 1 });
const jobs = [job('tick', 'tick'), ...changed, token];

const facts = (more: Partial<SubjectFacts> = {}): SubjectFacts => ({
  ...{ jobs, ticks, changes: new Map([['7', 1]]), stale: [] },
  marks: new Map(jobs.map(({ publicId }) => [publicId, 1])),
  ...more,
});

const UPDATE: readonly Happening[] = [
  { what: 'updating', publicId: 'counted', token: 't' },
  { what: 'updated', token: 't', isWritten: true },
];

const found = (history: readonly HistoryEvent[], tables: SubjectFacts): readonly string[] => [
  ...new Set(checkSubjects(history, tables).map(({ what }) => what)),
];

test('a clean history is clean', () => {
  expect(checkSubjects(events(...UPDATE), facts())).toEqual([]);
});

test.each<[string, Partial<SubjectFacts>, string]>([
  ['a job that is not complete', { jobs: [...jobs, job('late', 'tick', { status: 'new' })] }, 'lost'],
  ['a job without a mark', { jobs: [...jobs, job('unmarked', 'tick')] }, 'effect'],
  ['a job with two marks', { marks: new Map([...facts().marks, ['tick', 2]]) }, 'effect'],
  ['a tick that is missing', { ticks: ticks.filter((_, place) => place !== 4) }, 'tick'],
  [
    'a tick with two jobs',
    { ticks: ticks.map((tick, place) => ({ ...tick, jobs: place === 4 ? 2 : 1 })) },
    'tick',
  ],
  ['schedules that ended early', { ticks: ticks.filter(({ atMs }) => atMs < BEGAN_MS + 4_000) }, 'tick'],
  ['a change without its job', { changes: new Map([['7', 2]]) }, 'change'],
  ['a job without its change', { changes: new Map() }, 'change'],
  ['an old copy', { stale: ['7'] }, 'change'],
  [
    'an update that is lost',
    { jobs: [...jobs.slice(0, -1), { ...token, tokens: [], increments: 0 }] },
    'update',
  ],
  [
    'an update that came twice',
    { jobs: [...jobs.slice(0, -1), { ...token, tokens: ['t', 't'], increments: 2 }] },
    'update',
  ],
  ['half of an update', { jobs: [...jobs.slice(0, -1), { ...token, increments: 0 }] }, 'update'],
])('%s is found', (_, more, what) => {
  expect(found(events(...UPDATE), facts(more))).toEqual([what]);
});

test('an update in doubt may be there or not', () => {
  const doubted = events(...UPDATE.slice(0, 1));
  expect(checkSubjects(doubted, facts())).toEqual([]);
  const without = { jobs: [...jobs.slice(0, -1), { ...token, tokens: [], increments: 0 }] };
  expect(checkSubjects(doubted, facts(without))).toEqual([]);
});

test('a claim of paused work is found, and none that was sent before the pause, or answered after it', () => {
  const work = { queue: queueOf('hold') };
  const claimed = (sentAt: number): readonly Happening[] => [
    { what: 'paused', work },
    { what: 'claimed', publicId: 'tick', sentAt },
    { what: 'entered', publicId: 'tick', ...work, kind: kindOf('hold', 'tick') },
    { what: 'resuming', work },
  ];
  expect(found(events(...UPDATE, ...claimed(5.5)), facts())).toEqual(['pause']);
  expect(found(events(...UPDATE, ...claimed(4.5)), facts())).toEqual([]);
  const [paused, taken, entered, resuming] = claimed(5.5);
  const late = [paused, resuming, taken, entered].flatMap((event) => event ?? []);
  expect(found(events(...UPDATE, ...late), facts())).toEqual([]);
  const doubted: readonly Happening[] = [{ what: 'resume doubted', work }, ...claimed(6.5)];
  expect(found(events(...UPDATE, ...doubted), facts())).toEqual([]);
});

test('more starts than the rate allows are found', () => {
  const start: Happening = {
    ...{ what: 'entered', publicId: 'counted', queue: queueOf('hold'), kind: kindOf('hold', 'counted') },
  };
  const starts = Array.from({ length: 4 * RATE.starts + RATE.burst }, () => start);
  expect(found(events(...UPDATE, ...starts), facts())).toEqual(['limit']);
  expect(found(events(...UPDATE, ...starts.slice(0, 3 * RATE.starts)), facts())).toEqual([]);
});

test('a version that did nothing is found', () => {
  const alone = events(...UPDATE).filter(({ by }) => by !== 'old');
  expect(checkSubjects(alone, facts())).toEqual([
    { what: 'idle', text: 'no worker of the frozen version ran a job' },
  ]);
});
