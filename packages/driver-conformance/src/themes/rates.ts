import { randomUUID } from 'node:crypto';
import type { Rate } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { partsOf } from '../parts-of.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

const HOUR_MS = 3_600_000;
/** No call takes so long, in milliseconds. */
const CALL_MS = 600_000;

/** One start an hour, with so many at once. So only a moved rate has another one within a test. */
function hourly(name: string, burst = 1): Rate {
  return { name, starts: 1, perMs: HOUR_MS, burst };
}

/** How long each rate must wait, of a take that has taken nothing. Null if it has taken. */
async function take<Tx>(
  { driver }: Pick<Stage<Tx>, 'driver'>,
  rates: readonly Rate[],
  id = randomUUID(),
): Promise<readonly number[] | null> {
  const waitsMs = await driver.admission.take(rates, id);
  expect(waitsMs).toHaveLength(rates.length);
  return waitsMs.every((waitMs) => waitMs === 0) ? null : waitsMs;
}

/** Takes at once, from so many processes. Returns how many have taken. */
async function takeAtOnce<Tx>(stage: Stage<Tx>, rates: readonly Rate[], times: number): Promise<number> {
  const { driver } = await stage.process();
  const takes = Array.from({ length: times }, (_, place) =>
    take(place % 2 === 0 ? stage : { driver }, rates),
  );
  return (await Promise.all(takes)).filter((waitsMs) => waitsMs === null).length;
}

export const rates = theme('rates', (test) => {
  test('the second start waits for its time, and no longer', async (stage) => {
    const { key, reader } = stage;
    expect(await take(stage, [hourly(key)])).toBe(null);
    const [waitMs = 0] = (await take(stage, [hourly(key)])) ?? [];
    expect(waitMs).toBeGreaterThan(HOUR_MS - CALL_MS);
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS);
    await reader.moveRate(key, CALL_MS - HOUR_MS);
    const [restMs = 0] = (await take(stage, [hourly(key)])) ?? [];
    expect(restMs).toBeGreaterThan(0);
    expect(restMs).toBeLessThanOrEqual(CALL_MS);
    await reader.moveRate(key, -CALL_MS);
    expect(await take(stage, [hourly(key)])).toBe(null);
    expect(await take(stage, [hourly(key)])).not.toBe(null);
  });

  test('a refused take changes nothing', async (stage) => {
    const { key, reader } = stage;
    const [first, second] = [randomUUID(), randomUUID()];
    await take(stage, [hourly(key)], first);
    const before = await reader.rate(key);
    expect(before).toMatchObject({ lastTake: first });
    expect(await take(stage, [hourly(key)], second)).not.toBe(null);
    expect(await reader.rate(key)).toEqual(before);
  });

  test('as many as the burst start at once, however long the pause before was', async (stage) => {
    const { key, reader } = stage;
    for (const pauseMs of [0, 100 * HOUR_MS]) {
      await reader.moveRate(key, -pauseMs);
      for (let start = 0; start < 3; start++) expect(await take(stage, [hourly(key, 3)])).toBe(null);
      expect(await take(stage, [hourly(key, 3)])).not.toBe(null);
    }
  });

  test('of many takes at once, exactly as many take as there are starts', async (stage) => {
    const { key, reader } = stage;
    expect(await takeAtOnce(stage, [hourly(key, 7)], 24)).toBe(7);
    for (const starts of [1, 3, 5]) {
      await reader.moveRate(key, -starts * HOUR_MS);
      expect(await takeAtOnce(stage, [hourly(key, 7)], 24)).toBe(starts);
    }
  });

  test('in no time of the rate start more than it and its burst allow', async (stage) => {
    const { key, reader } = stage;
    const rate: Rate = { name: key, starts: 20, perMs: 400, burst: 3 };
    const { driver } = await stage.process();
    // When each start was taken at the earliest, and at the latest.
    const taken: { readonly from: number; readonly to: number }[] = [];
    const hammer = async (one: Pick<Stage<unknown>, 'driver'>): Promise<void> => {
      while (taken.length < 60) {
        const from = (await reader.now()).getTime();
        if ((await take(one, [rate])) !== null) continue;
        taken.push({ from, to: (await reader.now()).getTime() });
      }
    };
    await Promise.all([stage, stage, { driver }, { driver }].map(hammer));
    taken.sort((one, other) => one.to - other.to);
    const tooMany = rate.starts + rate.burst;
    for (let place = 0; place + tooMany <= taken.length; place++) {
      const some = taken.slice(place, place + tooMany);
      const lasted = Math.max(...some.map(({ to }) => to)) - Math.min(...some.map(({ from }) => from));
      // Whole milliseconds may be rounded either way.
      expect(lasted).toBeGreaterThanOrEqual(rate.perMs - 2);
    }
  });

  test('the time of a start that waited for another one is that of its turn', async (stage) => {
    const { key, reader, database } = stage;
    await take(stage, [hourly(key, 2)]);
    await reader.moveRate(key, -HOUR_MS);
    const unlock = await reader.lockRate(key);
    const waiting = take(stage, [hourly(key, 2)]);
    const now = await until('the take waits', async () => (await database.waits()).length > 0)
      .then(() => reader.now())
      .finally(unlock);
    expect(await waiting).toBe(null);
    expect((await reader.rate(key))?.nextMs).toBeGreaterThanOrEqual(now.getTime() + HOUR_MS);
  });

  test('three starts in a second are no more than three: the pause is rounded up', async (stage) => {
    const { key, reader } = stage;
    await take(stage, [{ name: key, starts: 3, perMs: 1_000, burst: 1_000 }]);
    const first = (await reader.rate(key))?.nextMs ?? 0;
    for (let start = 0; start < 3; start++)
      await take(stage, [{ name: key, starts: 3, perMs: 1_000, burst: 1_000 }]);
    expect(((await reader.rate(key))?.nextMs ?? 0) - first).toBeGreaterThanOrEqual(1_000);
  });

  test('of several rates all are taken, or none', async (stage) => {
    const { key, reader } = stage;
    const [a, b] = [hourly(`${key} a`), hourly(`${key} b`)];
    await take(stage, [b]);
    const before = await reader.rate(b.name);
    const waitsMs = await take(stage, [a, b]);
    expect(waitsMs).toEqual([0, expect.any(Number)]);
    expect(waitsMs?.[1]).toBeGreaterThan(0);
    expect(await reader.rate(b.name)).toEqual(before);
    // The first one is still free.
    expect(await take(stage, [a])).toBe(null);
    await reader.moveRate(a.name, -HOUR_MS);
    await reader.moveRate(b.name, -HOUR_MS);
    expect(await take(stage, [a, b])).toBe(null);
    expect(await take(stage, [a])).not.toBe(null);
    expect(await take(stage, [b])).not.toBe(null);
  });

  test('takes of the same rates at once end, and none takes a part', async (stage) => {
    const { key, reader } = stage;
    const both = ['a', 'b', 'c'].map((name) => hourly(`${key} ${name}`, 5));
    expect(await within('the takes', takeAtOnce(stage, both, 24))).toBe(5);
    const next = await Promise.all(both.map(({ name }) => reader.rate(name)));
    expect(new Set(next.map((row) => row?.lastTake)).size).toBe(1);
  });

  test('what is given back is as it was before', async (stage) => {
    const { driver, key, reader } = stage;
    const rate = hourly(key, 2);
    await take(stage, [rate]);
    const before = await reader.rate(key);
    const id = randomUUID();
    expect(await take(stage, [rate], id)).toBe(null);
    await driver.admission.giveBack([key], id);
    expect(await reader.rate(key)).toEqual({ nextMs: before?.nextMs, lastTake: null });
    await driver.admission.giveBack([key], id);
    expect(await reader.rate(key)).toEqual({ nextMs: before?.nextMs, lastTake: null });
    expect(await take(stage, [rate])).toBe(null);
    expect(await take(stage, [rate])).not.toBe(null);
  });

  test('a start behind which another one was taken is not given back', async (stage) => {
    const { driver, key, reader } = stage;
    const rate = hourly(key, 2);
    const id = randomUUID();
    await take(stage, [rate], id);
    await take(stage, [rate]);
    const after = await reader.rate(key);
    await driver.admission.giveBack([key, `${key} unknown`], id);
    await driver.admission.giveBack([key], randomUUID());
    expect(await reader.rate(key)).toEqual(after);
  });

  test('a process that dies with a start costs that one alone', async (stage) => {
    const { key } = stage;
    const dying = await stage.process();
    expect(await take(dying, [hourly(key, 2)])).toBe(null);
    await dying.kill();
    expect(await take(stage, [hourly(key, 2)])).toBe(null);
    expect(await take(stage, [hourly(key, 2)])).not.toBe(null);
  });

  test('names differ to the byte, and from those of limits', async (stage) => {
    const { key, claimSession } = stage;
    const [a, b] = [hourly(`${key} a`), hourly(`${key} A`)];
    await take(stage, [a]);
    expect(await take(stage, [b])).toBe(null);
    const session = claimSession();
    await session.enterLimits(JSON.stringify({ [a.name]: 1 }));
    expect(await take(stage, [a])).not.toBe(null);
  });

  test('a clock that is put back stops no rate for longer than a pause between two starts', async (stage) => {
    const { key, reader } = stage;
    const rate = hourly(key, 2);
    await take(stage, [rate]);
    await reader.moveRate(key, 1_000 * HOUR_MS);
    const [waitMs = 0] = (await take(stage, [rate])) ?? [];
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS);
    await reader.moveRate(key, -HOUR_MS);
    expect(await take(stage, [rate])).toBe(null);
  });

  test('numbers that were set take the place of those given, until they are reset', async (stage) => {
    const { driver, key, reader } = stage;
    await driver.admission.set(key, { starts: 2, perMs: 2 * HOUR_MS, burst: 2 }, 'ann');
    const numbersSet = async () => (await driver.admission.limits([key])).map(({ set }) => set);
    expect(await numbersSet()).toEqual([
      { name: key, starts: 2, perMs: 2 * HOUR_MS, burst: 2, setAt: expect.any(Date), setBy: 'ann' },
    ]);
    await take(stage, [hourly(key)]);
    expect(await take(stage, [hourly(key)])).toBe(null);
    expect(await take(stage, [hourly(key)])).not.toBe(null);
    await driver.admission.set(key, { starts: 1, perMs: HOUR_MS, burst: 3 }, 'bob');
    expect(await take(stage, [hourly(key)])).toBe(null);
    await driver.admission.set(key, null, 'bob');
    expect(await numbersSet()).toEqual([null]);
    await reader.moveRate(key, -2 * HOUR_MS);
    expect(await take(stage, [hourly(key)])).not.toBe(null);
    await reader.moveRate(key, -HOUR_MS);
    expect(await take(stage, [hourly(key)])).toBe(null);
  });

  test('an open transaction that sets numbers holds up no start', async (stage) => {
    const { driver, key, caller } = stage;
    await take(stage, [hourly(key, 2)]);
    const { tx, commit } = await caller();
    await driver.join(tx).admission.set(key, { starts: 1, perMs: HOUR_MS, burst: 3 }, 'ann');
    expect(await take(stage, [hourly(key, 2)])).toBe(null);
    expect(await take(stage, [hourly(key, 2)])).not.toBe(null);
    await commit();
    expect(await take(stage, [hourly(key, 2)])).toBe(null);
    await driver.admission.set(key, null, 'ann');
  });

  test('a claim of jobs with rates takes the slots of their limits, and no start', async (stage) => {
    const { key, driver, queue, putMany, claimSession, claim, reader, view } = stage;
    const [rated, both] = [
      JSON.stringify({ [key]: [1, HOUR_MS, 1] }),
      JSON.stringify({ [key]: [1, 1, HOUR_MS, 1] }),
    ];
    const [first, second, third] = await putMany([{ limits: rated }, { limits: both }, { limits: both }]);
    const parts = await partsOf(driver, [queue]);
    expect(parts.map(({ limits }) => limits).toSorted()).toEqual([both, rated].toSorted());
    expect(await claim(claimSession(), { limits: rated })).toMatchObject({ id: first?.id });
    expect(await claim(claimSession(), { limits: both })).toMatchObject({ id: second?.id });
    await expect(claim(claimSession(), { limits: both })).rejects.toMatchObject({ code: 'LimitReached' });
    expect(await reader.rate(key)).toBeUndefined();
    const numbers = { max: 1, starts: 1, perMs: HOUR_MS, burst: 1 };
    expect(await view(third ?? { publicId: '' })).toMatchObject({ limits: { [key]: numbers } });
  });
});
