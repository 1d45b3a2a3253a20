import { randomUUID } from 'node:crypto';
import type { ClaimSession, QueuePart } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { partsOf } from '../parts-of.js';
import { type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';

const HOUR_MS = 3_600_000;

/** The text of one limit's size, as a row has it. */
function sized(name: string, max: number): string {
  return JSON.stringify({ [name]: max });
}

/** Takes a slot, as a caller who says this size. Undefined if there is none. */
async function enter<Tx>(
  { driver, claimSession }: Pick<Stage<Tx>, 'driver' | 'claimSession'>,
  name: string,
  max: number,
  of = driver,
): Promise<ClaimSession<Tx> | undefined> {
  const session = claimSession(of);
  try {
    await session.enterLimits(sized(name, max));
    return session;
  } catch (error) {
    expect(error).toMatchObject({ name: 'DriverError', code: 'LimitReached' });
    await session.rollback();
    return undefined;
  }
}

/** The orders in which these sequences can be played, each in its own order. */
function* interleavings<Step>(sequences: readonly (readonly Step[])[]): Generator<readonly Step[]> {
  if (sequences.every(({ length }) => length === 0)) yield [];
  for (const [place, [first, ...rest]] of sequences.entries()) {
    if (first === undefined) continue;
    for (const order of interleavings(sequences.with(place, rest))) yield [first, ...order];
  }
}

export const limits = theme('limits', (test) => {
  test('the session of the canal lock: 3 slots a bucket, one bucket or two', async (stage) => {
    const name = stage.key;
    const held: ClaimSession<unknown>[] = [];
    const acquire = async (buckets: number): Promise<string> => {
      const session = await enter(stage, name, 3 * buckets);
      if (session !== undefined) held.push(session);
      return session === undefined ? 'full' : 'acquired';
    };
    const release = async (): Promise<string> => {
      await held.pop()?.rollback();
      return 'ok';
    };
    const told = [
      await acquire(1),
      await acquire(1),
      await acquire(1),
      await acquire(1),
      await acquire(2),
      await acquire(1),
      await release(),
      await acquire(1),
      await release(),
      await acquire(1),
      await acquire(1),
    ];
    expect(told).toEqual([
      'acquired',
      'acquired',
      'acquired',
      'full',
      'acquired',
      'full',
      'ok',
      'full',
      'ok',
      'acquired',
      'full',
    ]);
  });

  test('the interleaving B, A, C, E, D: sizes 3 and 6, and only E is refused', async (stage) => {
    const name = stage.key;
    const sizes = { B: 3, A: 3, C: 6, E: 3, D: 6 };
    const admitted: string[] = [];
    for (const [who, size] of Object.entries(sizes))
      if ((await enter(stage, name, size)) !== undefined) admitted.push(who);
    expect(admitted).toEqual(['B', 'A', 'C', 'D']);
  });

  test('whoever dies is out: the slot of a process that is killed is free', async (stage) => {
    const name = stage.key;
    const dying = await stage.process();
    expect(await enter(stage, name, 1, dying.driver)).toBeDefined();
    expect(await enter(stage, name, 1)).toBeUndefined();
    await dying.kill();
    await until('the slot is free', async () => (await enter(stage, name, 1)) !== undefined);
  });

  test('up-size: a larger size is taken up by the next caller, and by no other', async (stage) => {
    const name = stage.key;
    expect(await enter(stage, name, 1)).toBeDefined();
    expect(await enter(stage, name, 1)).toBeUndefined();
    expect(await enter(stage, name, 3)).toBeDefined();
    expect(await enter(stage, name, 2)).toBeUndefined();
    expect(await enter(stage, name, 3)).toBeDefined();
    expect(await enter(stage, name, 3)).toBeUndefined();
  });

  test('down-size: nobody enters until fewer are in than the smaller size', async (stage) => {
    const name = stage.key;
    const held = [];
    for (const size of [4, 4, 4, 4]) held.push(await enter(stage, name, size));
    // Those with the lowest and the highest numbers leave, in any order.
    for (const place of [0, 3, 1]) {
      expect(await enter(stage, name, 1)).toBeUndefined();
      await held[place]?.rollback();
    }
    expect(await enter(stage, name, 1)).toBeUndefined();
    await held[2]?.rollback();
    expect(await enter(stage, name, 1)).toBeDefined();
    expect(await enter(stage, name, 1)).toBeUndefined();
  });

  test('a size that was set takes the place of what callers say, until it is reset', async (stage) => {
    const { driver, key: name } = stage;
    await driver.admission.set(name, { max: 1 }, 'ann');
    const first = await enter(stage, name, 5);
    expect(first).toBeDefined();
    expect(await enter(stage, name, 5)).toBeUndefined();
    await driver.admission.set(name, { max: 2 }, 'bob');
    const numbersSet = async () => (await driver.admission.limits([name])).map(({ set }) => set);
    expect(await numbersSet()).toMatchObject([{ name, max: 2, setBy: 'bob', setAt: expect.any(Date) }]);
    expect(await enter(stage, name, 1)).toBeDefined();
    expect(await enter(stage, name, 1)).toBeUndefined();
    await driver.admission.set(name, null, 'bob');
    expect(await numbersSet()).toEqual([null]);
    expect(await enter(stage, name, 2)).toBeUndefined();
    expect(await enter(stage, name, 3)).toBeDefined();
  });

  test('every order of 3 callers for 2 slots, a resize and a crash', async (stage) => {
    const { driver } = stage;
    const callers = [
      ['enter 0', 'crash 0'],
      ['enter 1', 'leave 1'],
      ['enter 2', 'leave 2'],
    ];
    let orders = 0;
    for (const order of interleavings([...callers, ['resize']])) {
      // The callers are alike: of the orders that differ by their names alone, one is enough.
      const entrances = order.filter((step) => step.startsWith('enter'));
      if (entrances.join() !== 'enter 0,enter 1,enter 2') continue;
      const name = `${stage.key} ${orders++}`;
      const inside = new Map<string, ClaimSession<unknown>>();
      let size = 2;
      for (const step of order) {
        const [what = '', who = ''] = step.split(' ');
        if (what === 'resize') {
          size = orders % 2 === 0 ? 1 : 3;
          await driver.admission.set(name, { max: size }, 'test');
        } else if (what === 'enter') {
          const session = await enter(stage, name, 2);
          expect(session !== undefined, `${order} at ${step}`).toBe(inside.size < size);
          if (session !== undefined) inside.set(who, session);
        } else {
          // To its server a crash is the end of the session, as this is.
          await inside.get(who)?.rollback();
          inside.delete(who);
        }
      }
      await driver.admission.set(name, null, 'test');
    }
    expect(orders).toBe(105);
  });

  test('names differ to the byte, and several limits are all or none', async (stage) => {
    const { key, claimSession } = stage;
    const [a, b] = [`${key} a`, `${key} A`];
    expect(await enter(stage, a, 1)).toBeDefined();
    const both = claimSession();
    await expect(both.enterLimits(JSON.stringify({ [b]: 1, [a]: 1 }))).rejects.toMatchObject({
      code: 'LimitReached',
    });
    await both.rollback();
    expect(await enter(stage, b, 1)).toBeDefined();
  });

  test('a claim takes a slot of each limit, and gives them back with its end', async (stage) => {
    const { key, putMany, claimSession, claim } = stage;
    const limits = JSON.stringify({ [`${key} a`]: 2, [`${key} b`]: 1 });
    const [first, second] = await putMany([{ limits }, { limits }]);
    const one = claimSession();
    expect(await claim(one, { limits })).toMatchObject({ id: first?.id, limits });
    const other = claimSession();
    await expect(claim(other, { limits })).rejects.toMatchObject({ code: 'LimitReached' });
    await other.rollback();
    await one.rollback();
    const next = claimSession();
    expect(await claim(next, { limits })).toMatchObject({ id: first?.id });
    const { next: following } = await next.finish([settlement(first ?? { id: 0n })], {
      queue: stage.queue,
      kinds: ['work'],
      line: { priority: -32_768, id: 0n },
      busy: [],
      limit: 1,
      limits,
    });
    const [claimed] = await (following ?? claim(next, { limits }).then((job) => (job ? [job] : [])));
    expect(claimed).toMatchObject({ id: second?.id });
  });

  test('a claim that finds a limit reached leaves the job as it was', async (stage) => {
    const { key, put, row, claimSession, claim, reader } = stage;
    const limits = sized(key, 1);
    const job = await put({ limits });
    const holder = await enter(stage, key, 1);
    const held = claimSession();
    await expect(claim(held, { limits })).rejects.toMatchObject({ code: 'LimitReached' });
    await held.rollback();
    expect(await row(job)).toEqual(job);
    expect(await reader.runs(job.publicId)).toEqual([]);
    await holder?.rollback();
    expect(await claim(held, { limits })).toMatchObject({ id: job.id });
  });

  test('where no job is free, a claim takes no slot', async (stage) => {
    const { key, claimSession, claim } = stage;
    const idle = claimSession();
    expect(await claim(idle, { limits: sized(key, 1) })).toBeUndefined();
    expect(await enter(stage, key, 1)).toBeDefined();
  });

  test('jobs with limits, with other limits and without are claimed apart', async (stage) => {
    const { driver, key, queue, putMany, claimSession, claim } = stage;
    const [a, b] = [sized(`${key} a`, 1), sized(`${key} b`, 1)];
    const [plain, withA, withB] = await putMany([{}, { limits: a }, { limits: b }]);
    const parts = await partsOf(driver, [queue, 'another queue']);
    expect(parts.toSorted((one, other) => (one.limits < other.limits ? -1 : 1))).toEqual([
      { queue, limits: a },
      { queue, limits: b },
    ]);
    expect((await claim(claimSession()))?.id).toBe(plain?.id);
    expect((await claim(claimSession(), { limits: b }))?.id).toBe(withB?.id);
    expect((await claim(claimSession(), { limits: a }))?.id).toBe(withA?.id);
    expect(await driver.claims.survey({ queues: [queue], kinds: ['work'] })).toMatchObject({
      limited: true,
      waiting: true,
    });
    expect(await driver.claims.survey({ queues: ['another queue'], kinds: ['work'] })).toMatchObject({
      limited: false,
    });
  });

  test('pages of parts go through all queues, without the paused ones', async (stage) => {
    const { driver, key, queue, putMany, defer } = stage;
    const queues = [`${queue} b`, `${queue} a`, `${queue} paused`, `${queue} empty`, `${queue} c`];
    const [b = '', a = '', pausedQueue = '', , c = ''] = queues;
    const text = (name: string): string => sized(`${key} ${name}`, 1);
    const rows: [string, string][] = [b, a, pausedQueue, c].flatMap((of) =>
      ['1', '2', '3'].flatMap((name): [string, string][] => [
        [of, text(name)],
        [of, text(name)],
      ]),
    );
    await putMany(rows.map(([of, limits]) => ({ queue: of, limits })));
    for (const target of [
      { scope: 'queue', name: pausedQueue },
      { scope: 'limit', name: `${key} 2` },
    ] as const) {
      defer(() => driver.admission.resume(target));
      await driver.admission.pause({ ...target, until: null, reason: null, by: 'test' });
    }
    const found = [];
    let pages = 0;
    let from: QueuePart = { queue: b, limits: '' };
    for (;;) {
      const { parts, last } = await driver.admission.parts({
        queues: queues.slice(queues.indexOf(from.queue)),
        beyond: from.limits,
        limit: 2,
      });
      found.push(...parts);
      pages += 1;
      if (last === null) break;
      from = last;
    }
    const open = [text('1'), text('3')];
    expect(found).toEqual([b, a, c].flatMap((of) => open.map((limits) => ({ queue: of, limits }))));
    // Nine parts, two on a page.
    expect(pages).toBe(5);
  });

  test('a due job with limits waits, also while it is locked', async (stage) => {
    const { driver, key, queue, put, claimSession, claim } = stage;
    const limits = sized(key, 1);
    await put({ limits });
    await claim(claimSession(), { limits });
    const found = {
      promoted: 0,
      nextDueMs: null,
      leased: false,
      followers: expect.any(Boolean),
      nextExpiryMs: expect.toBeOneOf([null, expect.any(Number)]),
      nextTickMs: null,
      refused: [],
    };
    expect(await driver.claims.survey({ queues: [queue], kinds: ['work'] })).toEqual({
      ...found,
      waiting: true,
      unlimited: false,
      limited: true,
    });
    expect(await driver.claims.survey({ queues: [queue], kinds: ['other'] })).toMatchObject({
      ...found,
      waiting: false,
      unlimited: false,
    });
    expect(await partsOf(driver, [queue])).toEqual([{ queue, limits }]);
    expect(await driver.claims.dueQueues({ queues: [queue], kinds: ['work'] })).toEqual([]);
  });

  test('parts are of due, new jobs alone', async (stage) => {
    const { driver, key, queue, put, serve } = stage;
    const limits = sized(key, 1);
    await put({ limits, available: { inMs: 3_600_000 } });
    expect(await partsOf(driver, [queue])).toEqual([]);
    await put({ limits });
    await serve({}, { limits });
    expect(await partsOf(driver, [queue])).toEqual([]);
  });

  test('a lease keeps its slots beyond the commit, until its run leaves', async (stage) => {
    const { key, put, claimSession, take } = stage;
    const limits = sized(key, 1);
    await put({ limits });
    const held = claimSession();
    const job = await take(held, { limits });
    const runId = randomUUID();
    await held.lease(runId, [job.id], 60_000);
    expect(await enter(stage, key, 1)).toBeUndefined();
    // Whoever leaves for another run, or late, frees nobody's slot.
    const stranger = claimSession();
    await stranger.lockLeased(randomUUID(), [], true);
    await stranger.leaveLimits(randomUUID());
    await stranger.commit();
    expect(await enter(stage, key, 1)).toBeUndefined();

    const settling = claimSession();
    await settling.lockLeased(runId, [job.id], true);
    await settling.settle([settlement(job, { runId })]);
    await settling.leaveLimits(runId);
    expect(await enter(stage, key, 1)).toBeUndefined();
    await settling.commit();
    expect(await enter(stage, key, 1)).toBeDefined();
  });

  test('a lease of a larger size counts for a smaller one', async (stage) => {
    const { key, putMany, claimSession, take } = stage;
    const limits = sized(key, 3);
    const jobs = await putMany([{ limits }, { limits }]);
    for (const _ of jobs) {
      const held = claimSession();
      const job = await take(held, { limits });
      await held.lease(randomUUID(), [job.id], 60_000);
    }
    expect(await enter(stage, key, 2)).toBeUndefined();
    expect(await enter(stage, key, 3)).toBeDefined();
  });

  test('a reclaim gives back the slots of what it puts back', async (stage) => {
    const { driver, key, queue, put, claimSession, take, anchor } = stage;
    const limits = sized(key, 1);
    const row = await put({ limits });
    const { workerId } = await anchor();
    const held = claimSession();
    const job = await take(held, { limits });
    const runId = randomUUID();
    await driver.claims.startRuns([{ runId, workerId, jobs: [row] }], []).visible;
    await held.lease(runId, [job.id], 60_000);
    expect(await enter(stage, key, 1)).toBeUndefined();
    const scope = { queues: [queue], dead: [], own: { workerId, ended: [runId] } };
    expect(await driver.claims.reclaim(scope)).toMatchObject({ reclaimed: 1 });
    expect(await enter(stage, key, 1)).toBeDefined();
  });

  test('whoever leaves after the time of its lease frees no slot that another has taken since', async (stage) => {
    const { key, put, claimSession, take } = stage;
    const limits = sized(key, 1);
    await put({ limits });
    const held = claimSession();
    const job = await take(held, { limits });
    const runId = randomUUID();
    await held.lease(runId, [job.id], 0);
    const next = await until('the slot is free', () => enter(stage, key, 1));
    const late = claimSession();
    await late.lockLeased(runId, [job.id], true);
    await late.leaveLimits(runId);
    expect(await enter(stage, key, 1)).toBeUndefined();
    await late.commit();
    expect(await enter(stage, key, 1)).toBeUndefined();
    await next.rollback();
    expect(await enter(stage, key, 1)).toBeDefined();
  });

  test('slots that nobody has are deleted once they are old, and the limit makes others', async (stage) => {
    const { driver, key, reader, put, claimSession, take } = stage;
    const [used, leased, fixed, gone] = [`${key} used`, `${key} leased`, `${key} fixed`, `${key} gone`];
    const slots = (): Promise<readonly number[]> =>
      Promise.all([used, leased, fixed, gone].map((name) => reader.slots(name)));
    const prune = async (ageMs: number): Promise<void> => {
      for (let beyond: string | null = ''; beyond !== null; )
        ({ last: beyond } = await driver.admission.prune(beyond, ageMs));
    };
    for (const name of [fixed, gone]) await (await enter(stage, name, 1))?.commit();
    const holder = await enter(stage, used, 1);
    await put({ limits: sized(leased, 1) });
    const held = claimSession();
    const job = await take(held, { limits: sized(leased, 1) });
    await held.lease(randomUUID(), [job.id], 60_000);
    await driver.admission.set(fixed, { max: 1 }, 'ann');
    const made = await slots();
    await prune(HOUR_MS);
    expect(await slots()).toEqual(made);
    await prune(0);
    expect(await slots()).toEqual([...made.slice(0, 3), 0]);
    for (const name of [used, leased]) expect(await enter(stage, name, 1)).toBeUndefined();
    await holder?.rollback();
    for (const name of [used, gone]) {
      expect(await enter(stage, name, 1)).toBeDefined();
      expect(await enter(stage, name, 1)).toBeUndefined();
    }
    await driver.admission.set(fixed, null, 'ann');
  });

  test('a lease whose time is over has no slot', async (stage) => {
    const { key, put, claimSession, take } = stage;
    const limits = sized(key, 1);
    await put({ limits });
    const held = claimSession();
    const job = await take(held, { limits });
    await held.lease(randomUUID(), [job.id], 0);
    await until('the slot is free', async () => (await enter(stage, key, 1)) !== undefined);
  });
});
