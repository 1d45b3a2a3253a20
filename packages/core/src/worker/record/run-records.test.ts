import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import type { RunsTold } from '../../driver/MISSING-RunsTold.js';
import type { EarlierRuns, RunStart } from '../../driver/run-record.js';
import { RunRecords } from './run-records.js';

const run = (job: bigint): RunStart => ({ runId: `run of ${job}`, workerId: '1', jobs: [job] });

/** More turns of the event loop than a write waits for others. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await setImmediate();
}

/** A driver whose writes end when they are told to. */
function slowDriver() {
  const writes: {
    readonly runs: readonly RunStart[];
    readonly told: RunsTold | undefined;
    readonly end: (rows: readonly EarlierRuns[]) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const startRuns = (runs: readonly RunStart[], told?: RunsTold) =>
    new Promise<readonly EarlierRuns[]>((end, fail) => writes.push({ runs: [...runs], told, end, fail }));
  const clock = handClock();
  return { writes, clock, records: new RunRecords({ startRuns }, clock) };
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
  await first.flushed;
  await turns();
  expect(writes[1]?.runs).toEqual([run(2n), run(4n)]);
  const started = { id: 4n, earlierRuns: 2, crashes: 1 };
  writes[1]?.end([started]);
  expect(await second.written).toEqual(new Map([[4n, started]]));
  expect(await third.written).toEqual(await second.written);
});

test('what is written is told before it is seen, and that before it is on the disk; the next write waits until it is seen', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  const [isSeen, isFlushed] = [vi.fn(), vi.fn()];
  void first.seen.then(isSeen);
  void first.flushed.then(isFlushed);
  await turns();
  writes[0]?.told?.written([]);
  expect(await first.written).toEqual(new Map());
  records.start(run(2n));
  await turns();
  expect(isSeen).not.toHaveBeenCalled();
  expect(writes).toHaveLength(1);
  writes[0]?.told?.seen();
  await first.seen;
  await turns();
  expect(isFlushed).not.toHaveBeenCalled();
  expect(writes).toHaveLength(2);
  writes[0]?.end([]);
  await first.flushed;
});

test('runs that come one behind the other in a moment are written together', async () => {
  const { writes, records } = slowDriver();
  records.start(run(1n));
  await setImmediate();
  records.start(run(2n));
  await turns();
  expect(writes.map(({ runs }) => runs)).toEqual([[run(1n), run(2n)]]);
});

test('a write is to come to the disk when one of its runs asks for it, or has gone on for a while, and not when all are over', async () => {
  const { writes, clock, records } = slowDriver();
  const due: (boolean | undefined)[] = [];
  for (const place of [0, 1, 2]) {
    const [record] = [records.start(run(1n)), records.start(run(2n))];
    await turns();
    writes[place]?.told?.seen();
    void writes[place]?.told?.due?.then((isDue) => due.push(isDue));
    record.end();
    if (place === 0) record.flush();
    if (place === 1) clock.advance(20);
    if (place === 2) record.end();
    await turns();
    expect(due).toHaveLength(place + 1);
    writes[place]?.end([]);
  }
  expect(due).toEqual([true, true, false]);
});

test('behind a write that is to come to the disk, and hangs, the next one tells nothing ahead', async () => {
  const { writes, clock, records } = slowDriver();
  const first = records.start(run(1n));
  await turns();
  writes[0]?.told?.seen();
  first.flush();
  await turns();
  clock.advance(199);
  const second = records.start(run(2n));
  await turns();
  expect(writes[1]?.told).toBeDefined();
  writes[1]?.told?.seen();
  clock.advance(1);
  // One that was spared the disk shows nothing.
  second.end();
  writes[1]?.end([]);
  await second.flushed;
  records.start(run(3n));
  await turns();
  expect(writes[2]).toMatchObject({ runs: [run(3n)], told: undefined });
  writes[0]?.end([]);
  await first.flushed;
  writes[2]?.end([]);
  await turns();
  records.start(run(4n));
  await turns();
  expect(writes[3]).toMatchObject({ runs: [run(4n)], told: expect.anything() });
});

test('a run of several jobs waits for no other, and shares no failure with one', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  await turns();
  const several = { ...run(2n), jobs: [2n, 3n] };
  const second = records.start(several);
  await turns();
  expect(writes[1]?.runs).toEqual([several]);
  writes[1]?.fail(new Error('the disk is full'));
  await expect(second.written).rejects.toThrow('the disk is full');
  writes[0]?.end([]);
  expect(await first.written).toEqual(new Map());
});

test('after a write that failed the next one tells nothing ahead; after one that did not, it does again', async () => {
  const { writes, records } = slowDriver();
  for (const place of [0, 1, 2]) {
    const { flushed } = records.start(run(1n));
    await turns();
    expect(writes[place]?.told === undefined).toBe(place === 1);
    if (place === 0) writes[place]?.fail(new Error('no answer'));
    else writes[place]?.end([]);
    await flushed.catch(() => {});
  }
});

test('a write that fails is told to those whose runs were in it, and the next one is made', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n));
  await turns();
  const second = records.start(run(2n));
  writes[0]?.fail(new Error('the disk is full'));
  await expect(first.written).rejects.toThrow('the disk is full');
  for (const each of [first.seen, first.flushed]) await expect(each).rejects.toThrow('the disk is full');
  await turns();
  writes[1]?.end([]);
  expect(await second.written).toEqual(new Map());
});

test('what comes behind a write that hangs is written beside it in a moment, and tells nothing ahead', async () => {
  const { writes, clock, records } = slowDriver();
  const hanging = records.start(run(1n));
  await turns();
  const second = records.start(run(2n));
  clock.advance(199);
  await turns();
  expect(writes).toHaveLength(1);
  clock.advance(1);
  await turns();
  expect(writes[1]).toMatchObject({ runs: [run(2n)], told: undefined });
  const third = records.start(run(3n));
  await turns();
  writes[1]?.end([]);
  expect(await second.written).toEqual(new Map());
  await turns();
  expect(writes[2]).toMatchObject({ runs: [run(3n)], told: expect.anything() });
  writes[2]?.end([]);
  await third.flushed;
  writes[0]?.fail(new Error('no answer'));
  await expect(hanging.written).rejects.toThrow('no answer');
});
