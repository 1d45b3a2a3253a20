import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { Pruner, type PrunerParts } from './pruner.js';
import { RetentionLimits } from './retention.js';

const MINUTE_MS = 60_000;
const yes = () => true;
const no = () => false;

interface Faults {
  readonly turn?: () => boolean;
  readonly fails?: () => boolean;
  /** Whether the slots of a limit are not deleted. */
  readonly refuses?: boolean;
}

/** A pruner with a manual clock, on a history of as many old jobs as the test wants. */
function pruner({ turn = yes, fails = no, refuses = false }: Faults = {}) {
  const clock = handClock();
  const stopping = new AbortController();
  const warnings: unknown[] = [];
  const from: (bigint | null)[] = [];
  const turns: number[] = [];
  const slots: (readonly [beyond: string, ageMs: number])[] = [];
  let jobs: bigint[] = [];
  const entry = { publicId: 'public', queue: 'q', status: 'complete', createdMs: 10, settledMs: 10 } as const;
  const entries: PrunerParts['driver']['jobs']['entries'] = async (_filter, { after = null, limit }) => {
    if (fails()) throw new Error('The server is gone.');
    from.push(after);
    const found = jobs.filter((id) => id > (after ?? 0n)).slice(0, limit);
    return { jobs: found.map((id) => ({ id, ...entry })), next: null };
  };
  const history: PrunerParts['driver']['history'] = {
    async prune(ids) {
      jobs = jobs.filter((id) => !ids.includes(id));
      return ids.length;
    },
    async takePruneTurn(_, forMs) {
      turns.push(forMs);
      return turn();
    },
  };
  const driver: PrunerParts['driver'] = {
    jobs: { entries },
    history,
    audit: { prune: async () => 0 },
    admission: {
      async prune(beyond, ageMs) {
        slots.push([beyond, ageMs]);
        const refused =
          refuses && beyond === '' ? [{ member: 'another', error: new Error('not welcome') }] : [];
        return { last: beyond === '' ? 'a limit' : null, refused };
      },
    },
  };
  const log = { debug() {}, info() {}, warn: (details: unknown) => warnings.push(details), error() {} };
  const limits = new RetentionLimits({ complete: 5 });
  const own = new Pruner({ driver, limits, clock, log, workerId: '1', stopping: stopping.signal });
  own.start();
  return {
    clock,
    warnings,
    from,
    turns,
    slots,
    put: (...ids: bigint[]) => jobs.push(...ids),
    left: () => jobs,
    async stop() {
      stopping.abort();
      await own.stop();
    },
  };
}

/** Until everything that needs no time has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A pause between two steps has no length by the manual clock, and ends when the clock is moved. */
async function goOn(clock: ReturnType<typeof handClock>, ms = 0): Promise<void> {
  clock.advance(ms);
  for (let step = 0; step < 5; step++) {
    await settled();
    clock.advance(0);
  }
  await settled();
}

test('prunes at once, then once a minute from where it was, and each hour from the first job', async () => {
  const { clock, from, put, left, stop } = pruner();
  put(1n, 2n);
  await goOn(clock);
  expect(left()).toEqual([]);
  put(1n, 3n);
  await goOn(clock, MINUTE_MS - 1);
  expect(left()).toEqual([1n, 3n]);
  await goOn(clock, 1);
  expect(left()).toEqual([1n]);
  await goOn(clock, 60 * MINUTE_MS);
  expect(left()).toEqual([]);
  expect(from).toEqual([0n, 2n, 0n]);
  await stop();
});

test('prunes slots of limits at once and each hour, in steps', async () => {
  const { clock, slots, stop } = pruner();
  const pass = [
    ['', 60 * MINUTE_MS],
    ['a limit', 60 * MINUTE_MS],
  ];
  await goOn(clock);
  expect(slots).toEqual(pass);
  await goOn(clock, 59 * MINUTE_MS);
  expect(slots).toEqual(pass);
  await goOn(clock, MINUTE_MS);
  expect(slots).toEqual([...pass, ...pass]);
  await stop();
});

test('warns of slots that the database does not delete, and goes on', async () => {
  const { clock, slots, warnings, stop } = pruner({ refuses: true });
  await goOn(clock);
  expect(slots).toHaveLength(2);
  expect(warnings).toMatchObject([{ limit: 'another', limits: 1, err: { message: 'not welcome' } }]);
  await stop();
});

test('does nothing while another worker has the turn', async () => {
  let isTurn = false;
  const { clock, put, left, stop } = pruner({ turn: () => isTurn });
  put(1n);
  await goOn(clock);
  expect(left()).toEqual([1n]);
  isTurn = true;
  await goOn(clock, MINUTE_MS);
  expect(left()).toEqual([]);
  await stop();
});

test('keeps the turn until its next pass', async () => {
  const { clock, turns, stop } = pruner();
  await goOn(clock);
  // To begin, after a step of jobs and two of slots, and for the rest.
  expect(turns).toEqual(Array.from({ length: 5 }, () => MINUTE_MS));
  await stop();
});

test('tries again after a failure', async () => {
  let isGone = true;
  const { clock, put, left, warnings, stop } = pruner({ fails: () => isGone });
  put(1n);
  await goOn(clock);
  expect(warnings).toHaveLength(1);
  isGone = false;
  await goOn(clock, MINUTE_MS);
  expect(left()).toEqual([]);
  await stop();
});

test('ends when the worker stops, also between two steps', async () => {
  const { put, left, stop } = pruner();
  put(...Array.from({ length: 2_500 }, (_, n) => BigInt(n + 1)));
  await settled();
  expect(left()).toHaveLength(1_500);
  await stop();
  expect(left()).toHaveLength(1_500);
});
