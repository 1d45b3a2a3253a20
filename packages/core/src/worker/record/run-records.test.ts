import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { NO_EARLIER_RUNS } from '../../../test/receipt.js';
import { DriverError } from '../../driver/driver-error.js';
import type { Receipt, RunStart, RunsStarted } from '../../driver/run-record.js';
import { RunRecords } from './run-records.js';

const run = (job: bigint): RunStart => ({
  runId: `run of ${job}`,
  workerId: '1',
  jobs: [{ id: job, createdAt: new Date(0) }],
});

const stands = async (): Promise<void> => {};

const lost = () => Promise.reject(new Error('the claim is lost'));

const unfinished = (...runIds: readonly string[]): RunsStarted => ({ earlier: [], unfinished: runIds });

/** More turns of the event loop than a write waits for others. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await setImmediate();
}

/** A write that is visible, and durable, when the test says so. */
interface Write {
  readonly runs: readonly RunStart[];
  readonly show: (started: RunsStarted) => void;
  readonly fail: (error: Error) => void;
  readonly durable: () => Promise<void>;
  readonly flushed: () => void;
  readonly failFlush: (error: Error) => void;
}

/** A driver whose writes end when the test says so, and its calls. */
function slowDriver() {
  const writes: Write[] = [];
  const calls: unknown[] = [];
  const startRuns = (runs: readonly RunStart[], crashed?: readonly string[]): Receipt<RunsStarted> => {
    const visible = Promise.withResolvers<RunsStarted>();
    const disk = Promise.withResolvers<void>();
    const durable = vi.fn(() => disk.promise);
    const { resolve: show, reject: fail } = visible;
    const { resolve: flushed, reject: failFlush } = disk;
    writes.push({ runs: [...runs], show, fail, durable, flushed, failFlush });
    calls.push(crashed ?? []);
    return { visible: visible.promise, durable };
  };
  const clock = handClock();
  const records = new RunRecords({ claims: { startRuns } }, clock);
  return { writes, calls, clock, records };
}

/** Whether a record is visible by now. */
async function isVisible(record: { readonly visible: Promise<unknown> }): Promise<boolean> {
  const seen = vi.fn();
  record.visible.then(seen, () => {});
  await turns();
  return seen.mock.calls.length > 0;
}

test('what comes while a write is on its way is written together, by the next one', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n), stands);
  await turns();
  const [second, third] = [records.start(run(2n), stands), records.start(run(4n), stands)];
  await turns();
  expect(writes.map(({ runs }) => runs)).toEqual([[run(1n)]]);
  writes[0]?.show(NO_EARLIER_RUNS);
  expect(await first.visible).toEqual(new Map());
  await turns();
  expect(writes[1]?.runs).toEqual([run(2n), run(4n)]);
  const earlier = { id: 4n, earlierRuns: 2, crashes: 1 };
  writes[1]?.show({ earlier: [earlier], unfinished: [] });
  expect(await second.visible).toEqual(new Map([[4n, earlier]]));
  expect(await third.visible).toEqual(await second.visible);
});

test('a record is visible before it is durable; the next write waits until it is visible, and no longer', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n), stands);
  const isDurable = vi.fn();
  await turns();
  records.start(run(2n), stands);
  expect(await isVisible(first)).toBe(false);
  expect(writes).toHaveLength(1);
  writes[0]?.show(NO_EARLIER_RUNS);
  await first.visible;
  void first.durable().then(isDurable);
  await turns();
  expect(isDurable).not.toHaveBeenCalled();
  expect(writes).toHaveLength(2);
  writes[0]?.flushed();
  await first.flushed;
  await turns();
  expect(isDurable).toHaveBeenCalledOnce();
});

test('runs that come one behind the other in a moment are written together', async () => {
  const { writes, records } = slowDriver();
  records.start(run(1n), stands);
  await setImmediate();
  records.start(run(2n), stands);
  await turns();
  expect(writes.map(({ runs }) => runs)).toEqual([[run(1n), run(2n)]]);
});

test.each([
  ['one of its runs needs it', 1],
  ['one of its runs has gone on for a while', 1],
  ['all of its runs are over', 0],
])('a record is flushed so often when %s', async (when, flushes) => {
  const { writes, clock, records } = slowDriver();
  const [record, other] = [records.start(run(1n), stands), records.start(run(2n), stands)];
  await turns();
  writes[0]?.show(NO_EARLIER_RUNS);
  await record.visible;
  record.end();
  await turns();
  expect(writes[0]?.durable).not.toHaveBeenCalled();
  writes[0]?.flushed();
  if (when === 'one of its runs needs it') await other.durable();
  else if (when === 'all of its runs are over') other.end();
  clock.advance(20);
  await other.flushed;
  expect(writes[0]?.durable).toHaveBeenCalledTimes(flushes);
});

test('a record that is needed before it is visible is flushed when it is', async () => {
  const { writes, records } = slowDriver();
  const record = records.start(run(1n), stands);
  await turns();
  const durable = record.durable();
  await turns();
  expect(writes[0]?.durable).not.toHaveBeenCalled();
  writes[0]?.show(NO_EARLIER_RUNS);
  writes[0]?.flushed();
  await durable;
  expect(writes[0]?.durable).toHaveBeenCalledOnce();
});

test('behind a flush that hangs, a record is visible when it is durable', async () => {
  const { writes, clock, records } = slowDriver();
  const first = records.start(run(1n), stands);
  await turns();
  writes[0]?.show(NO_EARLIER_RUNS);
  await first.visible;
  void first.durable();
  await turns();
  clock.advance(199);
  const second = records.start(run(2n), stands);
  await turns();
  writes[1]?.show(NO_EARLIER_RUNS);
  expect(await isVisible(second)).toBe(true);
  clock.advance(1);
  // A record that needs no flush any more shows nothing.
  second.end();
  await second.flushed;
  const third = records.start(run(3n), stands);
  await turns();
  writes[2]?.show(NO_EARLIER_RUNS);
  expect(await isVisible(third)).toBe(false);
  writes[0]?.flushed();
  await first.flushed;
  expect(await isVisible(third)).toBe(false);
  writes[2]?.flushed();
  expect(await isVisible(third)).toBe(true);
  const fourth = records.start(run(4n), stands);
  await turns();
  writes[3]?.show(NO_EARLIER_RUNS);
  expect(await isVisible(fourth)).toBe(true);
});

test('a run of several jobs waits for no other, and shares no failure with one', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n), stands);
  await turns();
  const several = { ...run(2n), jobs: [2n, 3n].map((id) => ({ id, createdAt: new Date(0) })) };
  const second = records.start(several, stands);
  await turns();
  expect(writes[1]?.runs).toEqual([several]);
  writes[1]?.fail(new Error('the disk is full'));
  await expect(second.visible).rejects.toThrow('the disk is full');
  writes[0]?.show(NO_EARLIER_RUNS);
  writes[0]?.flushed();
  expect(await first.visible).toEqual(new Map());
});

test.each(['write', 'flush'])(
  'after a %s that failed the next record is visible when it is durable; after one that did not, ahead of that',
  async (what) => {
    const { writes, records } = slowDriver();
    const failed = records.start(run(1n), stands);
    await turns();
    if (what === 'write') writes[0]?.fail(new Error('no answer'));
    else writes[0]?.failFlush(new Error('no answer'));
    writes[0]?.show(NO_EARLIER_RUNS);
    await expect(failed.durable()).rejects.toThrow('no answer');
    for (const isAhead of [false, true]) {
      const record = records.start(run(2n), stands);
      await turns();
      const write = writes.at(-1);
      write?.show(NO_EARLIER_RUNS);
      expect(await isVisible(record)).toBe(isAhead);
      write?.flushed();
      expect(await isVisible(record)).toBe(true);
    }
  },
);

test('a write that fails is told to those whose runs were in it, and the next one is made', async () => {
  const { writes, records } = slowDriver();
  const first = records.start(run(1n), stands);
  await turns();
  const second = records.start(run(2n), stands);
  writes[0]?.fail(new Error('the disk is full'));
  for (const each of [first.visible, first.flushed]) await expect(each).rejects.toThrow('the disk is full');
  await expect(first.durable()).rejects.toThrow('the disk is full');
  await turns();
  writes[1]?.show(NO_EARLIER_RUNS);
  writes[1]?.flushed();
  expect(await second.visible).toEqual(new Map());
});

test.each(['record', 'claim'])('a %s that is refused is no harm to runs beside it', async (what) => {
  const { writes, records } = slowDriver();
  const [first, bad, third] = [
    records.start(run(1n), stands),
    records.start(run(2n), what === 'claim' ? lost : stands),
    records.start(run(3n), stands),
  ];
  await turns();
  if (what === 'claim') writes[0]?.show(unfinished('the run of the next claim'));
  else writes[0]?.fail(new Error('not welcome'));
  await turns();
  expect(writes.slice(1).map(({ runs }) => runs)).toEqual([[run(1n)], [run(2n)], [run(3n)]]);
  const durable = first.durable();
  for (const write of writes.slice(1)) {
    if (write.runs[0]?.runId !== 'run of 2') write.show(NO_EARLIER_RUNS);
    else if (what === 'claim') write.show(unfinished('the run of the next claim'));
    else write.fail(new Error('not welcome'));
    write.flushed();
  }
  await expect(bad.visible).rejects.toThrow(what === 'claim' ? 'the claim is lost' : 'not welcome');
  await expect(bad.flushed).rejects.toThrow();
  expect([await first.visible, await third.visible]).toEqual([new Map(), new Map()]);
  await Promise.all([durable, first.flushed, third.flushed]);
  first.end();
});

test('an outage in a write that runs share is told to each of them, and nothing is sent again', async () => {
  const { writes, records } = slowDriver();
  const gathered = [records.start(run(1n), stands), records.start(run(2n), stands)];
  await turns();
  writes[0]?.fail(new DriverError('ConnectionLost', 'no answer'));
  for (const { visible } of gathered) await expect(visible).rejects.toThrow('no answer');
  await turns();
  expect(writes).toHaveLength(1);
});

test('what comes behind a write that hangs is written beside it in a moment, and is visible when it is durable', async () => {
  const { writes, clock, records } = slowDriver();
  const hanging = records.start(run(1n), stands);
  await turns();
  const second = records.start(run(2n), stands);
  clock.advance(199);
  await turns();
  expect(writes).toHaveLength(1);
  clock.advance(1);
  await turns();
  expect(writes[1]?.runs).toEqual([run(2n)]);
  writes[1]?.show(NO_EARLIER_RUNS);
  expect(await isVisible(second)).toBe(false);
  const third = records.start(run(3n), stands);
  await turns();
  writes[1]?.flushed();
  expect(await second.visible).toEqual(new Map());
  await turns();
  expect(writes[2]?.runs).toEqual([run(3n)]);
  writes[2]?.show(NO_EARLIER_RUNS);
  expect(await isVisible(third)).toBe(true);
  writes[0]?.fail(new Error('no answer'));
  await expect(hanging.visible).rejects.toThrow('no answer');
});

test('where no earlier run has crashed, no claim is confirmed', async () => {
  const { writes, calls, records } = slowDriver();
  const confirm = vi.fn(stands);
  const record = records.start(run(1n), confirm);
  await turns();
  writes[0]?.show({ earlier: [{ id: 1n, earlierRuns: 3, crashes: 1 }], unfinished: [] });
  await record.visible;
  expect(confirm).not.toHaveBeenCalled();
  expect(calls).toEqual([[]]);
});

test('a crashed run is ended when the claim is confirmed, and then the record is written', async () => {
  const { writes, calls, records } = slowDriver();
  const record = records.start(run(1n), async () => void calls.push('confirm'));
  await turns();
  writes[0]?.show(unfinished('a crashed run'));
  expect(await isVisible(record)).toBe(false);
  expect(calls).toEqual([[], 'confirm', ['a crashed run']]);
  expect(writes[1]?.runs).toEqual([run(1n)]);
  const earlier = { id: 1n, earlierRuns: 1, crashes: 1 };
  writes[1]?.show({ earlier: [earlier], unfinished: [] });
  expect(await record.visible).toEqual(new Map([[1n, earlier]]));
  writes[1]?.flushed();
  await record.durable();
  expect(writes[0]?.durable).not.toHaveBeenCalled();
  expect(writes[1]?.durable).toHaveBeenCalledOnce();
});

test('a crashed run that is found at the second write is confirmed and ended as well', async () => {
  const { writes, calls, records } = slowDriver();
  const confirm = vi.fn(stands);
  const record = records.start(run(1n), confirm);
  for (const [place, runId] of ['one', 'another'].entries()) {
    await turns();
    writes[place]?.show(unfinished(runId));
  }
  await turns();
  writes[2]?.show(NO_EARLIER_RUNS);
  await record.visible;
  expect(confirm).toHaveBeenCalledTimes(2);
  expect(calls).toEqual([[], ['one'], ['another']]);
});

test('where the claim does not stand, nothing is ended, and the record is refused', async () => {
  const { writes, calls, records } = slowDriver();
  const record = records.start(run(1n), lost);
  await turns();
  writes[0]?.show(unfinished('the run of the next claim'));
  for (const each of [record.visible, record.durable()])
    await expect(each).rejects.toThrow('the claim is lost');
  expect(calls).toEqual([[]]);
});

test('where a crashed run cannot be ended, the record is refused', async () => {
  const startRuns = (_: readonly RunStart[], crashed: readonly string[] = []) => ({
    visible:
      crashed.length === 0
        ? Promise.resolve(unfinished('a crashed run'))
        : Promise.reject(new Error('the disk is full')),
    durable: stands,
  });
  const record = new RunRecords({ claims: { startRuns } }, handClock()).start(run(1n), stands);
  await expect(record.visible).rejects.toThrow('the disk is full');
});

test('before the crashed runs of gathered records are ended, each claim is confirmed', async () => {
  const { writes, calls, records } = slowDriver();
  const confirms = [vi.fn(stands), vi.fn(stands)];
  const gathered = confirms.map((confirm, place) => records.start(run(BigInt(place + 1)), confirm));
  await turns();
  writes[0]?.show(unfinished('one', 'another'));
  await turns();
  for (const confirm of confirms) expect(confirm).toHaveBeenCalledOnce();
  expect(calls).toEqual([[], ['one', 'another']]);
  expect(writes[1]?.runs).toEqual([run(1n), run(2n)]);
  writes[1]?.show(NO_EARLIER_RUNS);
  for (const { visible } of gathered) expect(await visible).toEqual(new Map());
});
