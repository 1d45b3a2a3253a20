import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import type { Settlement } from '../driver/claim-session.js';
import { DriverError } from '../driver/driver-error.js';
import type { StatisticsReport } from '../driver/history.js';
import type { Job } from '../job/job.js';
import { LiveRun } from '../worker/run/live-run.js';
import { Statistics } from './statistics.js';

const complete: Settlement = {
  ...{ id: 1n, runId: 'run', event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0 },
  ...{ output: null, error: null, by: 'host' },
};

function job(kind: string): Job {
  return {
    ...{ id: 1n, publicId: 'job', queue: 'q', kind, key: null, payload: {}, priority: 0, status: 'new' },
    ...{ attempt: 0, maxAttempts: 5, crashes: 0, redrives: 0, metadata: {}, limits: '' },
    ...{ createdAt: new Date(0), waitedMs: 0 },
  };
}

test('counts that the database refuses are no harm to the others, each of which is reported once', async () => {
  const reports: StatisticsReport[] = [];
  const refused: unknown[] = [];
  const statistics = new Statistics({
    driver: {
      history: {
        async report(_, report) {
          if (report.tallies.some(({ kind }) => kind === 'bad')) throw new DriverError('Unknown', 'No.');
          reports.push(report);
        },
      },
    },
    ...{ workerId: '1', live: new Set(), clock: handClock() },
    log: { debug() {}, info() {}, warn: (fields: object) => refused.push(Object(fields).kind), error() {} },
  });
  for (const kind of ['a', 'bad', 'c', 'c']) statistics.settled([job(kind)], [complete], 1);
  await statistics.stop();
  const counted = reports.flatMap(({ tallies }) => tallies.map(({ kind, completed }) => [kind, completed]));
  expect({ counted, refused }).toEqual({
    counted: [
      ['a', 1],
      ['c', 2],
    ],
    refused: ['bad'],
  });
  expect(reports.filter(({ forgets }) => forgets)).toMatchObject([{ tallies: [] }]);
});

test('the runs of a batch take one slot together, and the memory of the process is reported with them', async () => {
  const [one, other, alone] = [new LiveRun('1', [job('a'), job('a')], false), run(), run()];
  one.together = other.together = [one, other];
  alone.together = [alone];
  const reports: StatisticsReport[] = [];
  const statistics = new Statistics({
    driver: { history: { report: async (_, report) => void reports.push(report) } },
    ...{ workerId: '1', live: new Set([one, other, alone]), clock: handClock() },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await statistics.stop();
  expect(reports[0]?.running).toEqual([{ queue: 'q', kind: 'a', jobs: 4, held: 4, slots: 2 }]);
  expect(reports[0]?.memory).toBeGreaterThan(1024 * 1024);
});

function run(): LiveRun {
  return new LiveRun('2', [job('a')], false);
}

test('while no connection can be opened, no counts are refused, whatever the server says', async () => {
  const tried: number[] = [];
  const warned: unknown[] = [];
  const statistics = new Statistics({
    driver: {
      history: {
        async report(_, { tallies }) {
          tried.push(tallies.length);
          throw new DriverError('PermissionDenied', 'Who are you?', { isUnsent: true });
        },
      },
    },
    ...{ workerId: '1', live: new Set(), clock: handClock() },
    log: { debug() {}, info() {}, warn: (fields: object) => warned.push(fields), error() {} },
  });
  for (const kind of ['a', 'b', 'c']) statistics.settled([job(kind)], [complete], 1);
  await statistics.stop();
  expect({ tried, warned }).toEqual({ tried: [3], warned: [] });
});

test('a worker that stops does not wait for long for a server that does not answer', async () => {
  const clock = handClock();
  const statistics = new Statistics({
    driver: { history: { report: () => new Promise(() => {}) } },
    ...{ workerId: '1', live: new Set(), clock },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  statistics.settled([job('a')], [complete], 1);
  const stopped = statistics.stop();
  clock.advance(5_000);
  await stopped;
});
