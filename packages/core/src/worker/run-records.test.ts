import { expect, test, vi } from 'vitest';
import type { RunStart, RunStarted } from '../driver/driver.js';
import { RunRecords } from './run-records.js';

const run = (job: bigint): RunStart => ({ processId: `run of ${job}`, workerId: '1', jobs: [job] });
const turns = () => new Promise((resolve) => setImmediate(resolve));

/** A driver whose writes end when they are told to. */
function slowDriver() {
  const writes: {
    readonly runs: readonly RunStart[];
    readonly tell: (rows: readonly RunStarted[]) => void;
    readonly end: (rows: readonly RunStarted[]) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const startRuns = (runs: readonly RunStart[], tell: (rows: readonly RunStarted[]) => void = () => {}) =>
    new Promise<readonly RunStarted[]>((end, fail) => writes.push({ runs: [...runs], tell, end, fail }));
  return { writes, records: new RunRecords({ startRuns }) };
}

test('what comes while a write is on its way is written together, by the next one', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  await turns();
  const [second, third] = [records.start(run(2n)), records.start(run(4n))];
  await turns();
  expect(writes.map(({ runs }) => runs)).toEqual([[run(1n)]]);
  writes[0]?.end([]);
  expect(await first.written).toEqual(new Map());
  await first.committed;
  await turns();
  expect(writes[1]?.runs).toEqual([run(2n), run(4n)]);
  const started = { id: 4n, earlierRuns: 2, crashes: 1 };
  writes[1]?.end([started]);
  expect(await second.written).toEqual(new Map([[4n, started]]));
  expect(await third.written).toEqual(await second.written);
});

test('what is written is told before it is committed; the next write waits for that', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  const isCommitted = vi.fn();
  void first.committed.then(isCommitted);
  await turns();
  writes[0]?.tell([]);
  expect(await first.written).toEqual(new Map());
  records.start(run(2n));
  await turns();
  expect(isCommitted).not.toHaveBeenCalled();
  expect(writes).toHaveLength(1);
  writes[0]?.end([]);
  await first.committed;
  await turns();
  expect(writes).toHaveLength(2);
});

test('a write that fails is told to those whose runs were in it, and the next one is made', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  await turns();
  const second = records.start(run(2n));
  writes[0]?.fail(new Error('the disk is full'));
  await expect(first.written).rejects.toThrow('the disk is full');
  await expect(first.committed).rejects.toThrow('the disk is full');
  await turns();
  writes[1]?.end([]);
  expect(await second.written).toEqual(new Map());
});
