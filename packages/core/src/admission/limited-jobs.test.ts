import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { partsPage, type QueuePart } from '../driver/queue-parts.js';
import type { Sweep } from '../worker/look/sweep.js';
import { Alarm } from '../worker/time/alarm.js';
import { LimitedJobs } from './limited-jobs.js';
import { RatedStarts } from './rated-starts.js';

const RETRY_MS = 250;

/** A worker goes round the parts in the order in which it finds them. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

function part(name: string): QueuePart {
  return { queue: 'q', limits: `{"${name}":1}` };
}

/** The limited jobs of a worker. What a sweep does is said by `ends`, by the text of its limits. Default: it works. */
function limited({ expected = true, page = 1_000 } = {}) {
  const clock = handClock();
  const parts: QueuePart[] = [];
  const swept: string[] = [];
  const ends = new Map<string, (pass: Sweep) => void>();
  const seen = { woken: 0, rung: 0 };
  const waits = new Map<string, number>();
  /** How many slots are taken, by the limit's name, and the sizes that were set. */
  const taken = new Map<string, number>();
  const sizes = new Map<string, number>();
  const calls = { looks: 0, reads: 0 };
  const starts = new RatedStarts({
    driver: {
      admission: {
        take: async (rates) => rates.map(({ name }) => waits.get(name) ?? 0),
        giveBack: async () => {},
      },
      workers: { notify: async () => {} },
    },
    clock,
    pollMs: 60_000,
    onFault: () => {},
  });
  const jobs = new LimitedJobs({
    starts,
    driver: {
      admission: {
        async limits(names = []) {
          calls.reads += 1;
          return names.map((name) => {
            const max = sizes.get(name);
            const set = max === undefined ? null : { name, max, setAt: new Date(0), setBy: 'test' };
            return { name, set, taken: taken.get(name) ?? 0, nextInUs: null };
          });
        },
        async parts({ beyond }) {
          calls.looks += 1;
          const behind = parts
            .toSorted((one, other) => (one.limits < other.limits ? -1 : 1))
            .filter(({ limits }) => limits > beyond)
            .map((each) => ({ ...each, paused: false }));
          return partsPage(behind.slice(0, page), { limit: page });
        },
      },
    },
    queues: ['q'],
    hasLimits: expected,
    clock,
    alarm: new Alarm(clock, () => {
      seen.rung += 1;
    }),
    wake: () => {
      seen.woken += 1;
    },
    watchMs: RETRY_MS,
    pollMs: 5_000,
  });
  const round = async (): Promise<readonly string[]> => {
    swept.length = 0;
    await jobs.round(async (pass) => {
      swept.push(pass.limits);
      (ends.get(pass.limits) ?? works)(pass);
      pass.close(clock.now());
    }, []);
    return [...swept];
  };
  return {
    jobs,
    starts,
    waits,
    taken,
    sizes,
    calls,
    clock,
    parts,
    ends,
    round,
    woken: () => seen.woken,
    rung: () => seen.rung,
  };
}

const names = (parts: readonly QueuePart[]): readonly string[] => parts.map(({ limits }) => limits);
const reached = (pass: Sweep): void => {
  pass.end = 'limit reached';
};
const works = (pass: Sweep): void => {
  pass.worked = true;
};

test('a round sweeps each part, those first whose turn is longest ago', async () => {
  const { parts, round } = limited();
  parts.push(part('a'), part('b'), part('c'));
  expect(await round()).toEqual(names(parts));
  parts.pop();
  parts.push(part('d'));
  expect(await round()).toEqual(names([part('a'), part('b'), part('d')]));
});

test('each worker goes round the parts in an order of its own, so that two do not meet at each of them', async () => {
  vi.restoreAllMocks();
  const [one, other] = [limited(), limited()];
  const many = Array.from({ length: 30 }, (_, n) => part(`p${n}`));
  for (const { parts } of [one, other]) parts.push(...many);
  const [first, second] = [await one.round(), await other.round()];
  expect(new Set(first)).toEqual(new Set(names(many)));
  expect(first.toSorted()).toEqual(second.toSorted());
  expect(first).not.toEqual(second);
  expect(await one.round()).toEqual(first);
});

test('a part whose limit is reached is left alone until its time, and the worker looks again then', async () => {
  const { parts, round, ends, clock, rung } = limited();
  parts.push(part('a'), part('b'));
  ends.set(part('a').limits, reached);
  await round();
  expect(await round()).toEqual(names([part('b')]));
  clock.advance(RETRY_MS - 1);
  expect(rung()).toBe(0);
  clock.advance(1);
  expect(rung()).toBe(1);
  expect(await round()).toEqual(expect.arrayContaining([...names(parts)]));
});

test('a part whose jobs all run elsewhere is left alone until one may have come', async () => {
  const { jobs, parts, round, ends, clock } = limited();
  const elsewhere = { queue: 'r', limits: part('a').limits };
  parts.push(part('a'), elsewhere);
  for (const { limits } of parts) ends.set(limits, (pass) => pass.claimed(undefined, 1, clock.now()));
  expect(await round()).toHaveLength(2);
  expect(await round()).toEqual([]);
  jobs.wakeUp({ queue: 'r' });
  expect(await round()).toHaveLength(1);
  jobs.wakeUp({});
  expect(await round()).toHaveLength(2);
  clock.advance(RETRY_MS);
  expect(await round()).toHaveLength(2);
});

test('of many parts whose limits are reached, a few are looked at again in each watch interval', async () => {
  const { parts, round, ends, clock } = limited();
  const many = Array.from({ length: 40 }, (_, n) => part(`full ${n + 10}`));
  parts.push(...many, part('free'));
  for (const { limits } of many) ends.set(limits, reached);
  await round();
  let again = 0;
  for (let passed = 0; passed < 8; passed++) {
    clock.advance(RETRY_MS);
    const swept = await round();
    expect(swept).toContain(part('free').limits);
    again += swept.length - 1;
  }
  expect(again).toBeGreaterThanOrEqual(many.length);
  expect(again).toBeLessThanOrEqual(3 * many.length);
});

test('of many parts that may be full, one look at all slots leaves out those that are', async () => {
  const { parts, taken, sizes, calls, round, clock } = limited();
  const many = Array.from({ length: 40 }, (_, n) => part(`full ${n + 10}`));
  parts.push(...many, part('free'), part('widened'));
  for (const { limits } of [...many, part('widened')]) taken.set(Object.keys(JSON.parse(limits))[0] ?? '', 1);
  sizes.set('widened', 2);
  const open = names([part('free'), part('widened')]);
  expect(new Set(await round())).toEqual(new Set(open));
  for (let passed = 0; passed < 4; passed++) {
    clock.advance(RETRY_MS);
    expect(new Set(await round())).toEqual(new Set(open));
  }
  expect(calls.reads).toBeLessThan(3);
  taken.delete('full 10');
  clock.advance(5_000);
  expect(await round()).toContain(part('full 10').limits);
});

test('what is full is looked up before it is claimed again, all of it by one slot', async () => {
  const { parts, taken, calls, round, ends, clock } = limited();
  parts.push(part('a'), part('b'));
  for (const { limits } of parts) ends.set(limits, reached);
  for (const name of ['a', 'b']) taken.set(name, 1);
  await round();
  expect(calls.reads).toBe(0);
  clock.advance(RETRY_MS);
  expect(await Promise.all([round(), round()])).toEqual([[], []]);
  expect(calls.reads).toBe(1);
  taken.delete('b');
  clock.advance(RETRY_MS);
  expect(await round()).toEqual(names([part('b')]));
  expect(calls.reads).toBe(2);
});

test('a full limit without due jobs is no reason to look again', async () => {
  const { parts, taken, calls, round, ends, clock, rung } = limited();
  parts.push(part('a'));
  ends.set(part('a').limits, reached);
  taken.set('a', 1);
  await round();
  parts.pop();
  clock.advance(RETRY_MS);
  const before = rung();
  await round();
  clock.advance(10 * RETRY_MS);
  expect([calls.reads, rung()]).toEqual([0, before]);
});

test('a round that comes for a start makes no other look at the parts, until a watch interval is over or a job was added', async () => {
  const { jobs, parts, ends, calls, round, clock, rung } = limited();
  const waits = rated('a');
  parts.push(waits, rated('b'));
  ends.set(waits.limits, (pass) => {
    pass.end = 'no start';
  });
  expect(await round()).toHaveLength(2);
  expect(await round()).toEqual(names([waits]));
  expect(calls.looks).toBe(1);
  jobs.wakeUp({ queue: 'q' });
  expect(await round()).toHaveLength(2);
  jobs.surveyed({ limited: true, promoted: 1 });
  expect(await round()).toHaveLength(2);
  expect(calls.looks).toBe(3);
  expect(await round()).toEqual(names([waits]));
  const before = rung();
  clock.advance(RETRY_MS);
  expect(rung()).toBeGreaterThan(before);
  expect(await round()).toHaveLength(2);
  expect(calls.looks).toBe(4);
});

test('one slot of a worker tries whether a part has room, and starts come first when it has', async () => {
  const { jobs, parts, waits } = limited();
  const both: QueuePart = { queue: 'q', limits: '{"all":[1,60000,1],"one":1}' };
  parts.push(both);
  const found: boolean[] = [];
  const trying = Promise.withResolvers<void>();
  const first = jobs.round(async (pass) => {
    found.push(pass.slotsFirst);
    await trying.promise;
    waits.set('all', 1);
    expect(await pass.takeStart?.()).toBeNull();
    pass.end = 'no start';
  }, []);
  const sweep = async ({ slotsFirst }: Sweep): Promise<void> => void found.push(slotsFirst);
  jobs.wakeUp({});
  await jobs.round(sweep, []);
  expect(found).toEqual([true]);
  trying.resolve();
  await first;
  jobs.wakeUp({ limit: 'all' });
  await jobs.round(sweep, []);
  expect(found).toEqual([true, false]);
});

test('a part takes its slots first, until a sweep of it has had some, and again after it has found none', async () => {
  const { parts, ends, jobs, clock } = limited();
  const both: QueuePart = { queue: 'q', limits: '{"all":[1,60000,1],"one":1}' };
  parts.push(both, rated('all'));
  const found: [string, boolean][] = [];
  const look = async (): Promise<void> => {
    await jobs.round(async (pass) => {
      found.push([pass.limits, pass.slotsFirst]);
      (ends.get(pass.limits) ?? works)(pass);
      pass.close(clock.now());
    }, []);
  };
  await look();
  await look();
  ends.set(both.limits, reached);
  await look();
  clock.advance(RETRY_MS);
  await look();
  expect(found.filter(([limits]) => limits === both.limits).map(([, first]) => first)).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(found.filter(([limits]) => limits !== both.limits).map(([, first]) => first)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('a part is claimed before its start is taken after a sweep that has run no job, until one has', async () => {
  const { jobs, parts, clock } = limited();
  const both: QueuePart = { queue: 'q', limits: '{"all":[1,60000,1],"one":1}' };
  parts.push(rated('all'), both);
  const found: [string, boolean][] = [];
  const inVain = (pass: Sweep): void => pass.claimed(undefined, 1, clock.now());
  for (const end of [works, inVain, inVain, works, works]) {
    await jobs.round(async (pass) => {
      found.push([pass.limits, pass.slotsFirst]);
      end(pass);
      pass.close(clock.now());
    }, []);
    clock.advance(RETRY_MS);
  }
  const firsts = Object.groupBy(found, ([limits]) => (limits === both.limits ? 'both' : 'rated'));
  expect(firsts.rated?.map(([, first]) => first)).toEqual([false, false, true, true, false]);
  expect(firsts.both?.map(([, first]) => first)).toEqual([true, false, true, true, false]);
});

test('a free slot ends that at once for every part that has the limit', async () => {
  const { jobs, parts, round, ends, woken } = limited();
  const both = { queue: 'q', limits: '{"a":1,"b":1}' };
  parts.push(part('a'), both, part('c'));
  for (const { limits } of parts) ends.set(limits, reached);
  await round();
  expect(await round()).toEqual([]);
  jobs.wakeUp({ limit: 'a' });
  expect(woken()).toBe(1);
  expect(new Set(await round())).toEqual(new Set(names([part('a'), both])));
  jobs.wakeUp({ limit: 'nobody waits for this' });
  expect(woken()).toBe(1);
});

test('a sweep that has worked and leaves jobs behind wakes the other slots of its worker', async () => {
  const { parts, round, ends, woken } = limited();
  parts.push(part('a'));
  ends.set(part('a').limits, (pass) => {
    pass.worked = true;
    pass.timeOut(0);
  });
  await round();
  expect(woken()).toBe(1);
});

test('a sweep that has come to the last job wakes those here who wait for its limit', async () => {
  const { parts, round, ends, woken } = limited();
  const both = { queue: 'q', limits: '{"a":1,"b":1}' };
  parts.push(both);
  ends.set(both.limits, reached);
  await round();
  parts.push(part('a'));
  ends.set(part('a').limits, works);
  await round();
  expect(woken()).toBe(1);
});

test('a round lasts no longer than a sweep, and another one goes on', async () => {
  const { parts, round, ends, clock, woken } = limited();
  parts.push(part('a'), part('b'));
  ends.set(part('a').limits, (pass) => {
    works(pass);
    clock.advance(500);
  });
  expect(await round()).toEqual(names([part('a')]));
  expect(woken()).toBe(1);
  expect(await round()).toEqual(names([part('b'), part('a')]));
});

test('rounds go on from page to page, and rest after the last one', async () => {
  const { parts, round, ends, woken, clock } = limited({ page: 2 });
  const five = ['a', 'b', 'c', 'd', 'e'].map(part);
  parts.push(...five);
  for (const { limits } of five) ends.set(limits, reached);
  expect(await round()).toEqual(names(five.slice(0, 2)));
  expect(await round()).toEqual(names(five.slice(2, 4)));
  expect(woken()).toBe(2);
  expect(await round()).toEqual(names(five.slice(4)));
  expect(woken()).toBe(2);
  clock.advance(RETRY_MS);
  expect(await round()).toEqual(names(five.slice(0, 2)));
});

test('a round that was cut short goes on behind its last sweep, on the next page too', async () => {
  const { parts, round, ends, clock } = limited({ page: 2 });
  const four = ['a', 'b', 'c', 'd'].map(part);
  parts.push(...four);
  for (const { limits } of four)
    ends.set(limits, (pass) => {
      works(pass);
      clock.advance(500);
    });
  const swept = [];
  for (const _ of [...four, 'again']) swept.push(...(await round()));
  expect(swept.slice(0, 4)).toEqual(names(four));
});

test('slots that look together share the parts of a page', async () => {
  const { jobs, parts } = limited({ page: 2 });
  parts.push(part('a'), part('b'), part('c'));
  const swept: string[] = [];
  const sweep = async (pass: Sweep): Promise<void> => void swept.push(pass.limits);
  await Promise.all([jobs.round(sweep, []), jobs.round(sweep, [])]);
  expect(swept.toSorted()).toEqual(names([part('a'), part('b')]));
});

test('a page without a part to sweep is passed, and all pages together wait for starts', async () => {
  const { jobs, starts, waits, parts, round, woken } = limited({ page: 2 });
  parts.push(rated('a'), rated('a', 'b'), part('c'));
  waits.set('a', 60_000);
  await starts.take(rated('a').limits);
  expect(await round()).toEqual([]);
  expect(woken()).toBe(1);
  expect(await round()).toEqual(names([part('c')]));
  expect(jobs.isWaiting).toBe(false);
  parts[2] = rated('a', 'c');
  jobs.wakeUp({});
  for (const _ of ['first', 'last']) expect(await round()).toEqual([]);
  expect(jobs.isWaiting).toBe(true);
});

test('without a handler that has limits, the first survey that finds such jobs begins the looks', () => {
  const { jobs, woken } = limited({ expected: false });
  expect(jobs.isExpected).toBe(false);
  jobs.surveyed({ limited: true, promoted: 0 });
  jobs.surveyed({ limited: true, promoted: 0 });
  expect(jobs.isExpected).toBe(true);
  expect(woken()).toBe(1);
});

const rated = (...names: readonly string[]): QueuePart => ({
  queue: 'q',
  limits: JSON.stringify(Object.fromEntries(names.map((name) => [name, [1, 60_000, 1]]))),
});

test('all parts of a rate that is used up are left alone until its time, and the worker looks again then', async () => {
  const { jobs, starts, waits, parts, round, clock, rung } = limited();
  parts.push(rated('a'), rated('a', 'b'), rated('b'));
  waits.set('a', 60_000);
  expect(await round()).toHaveLength(3);
  expect(await starts.take(rated('a').limits)).toBeNull();
  expect(await round()).toEqual(names([rated('b')]));
  expect(jobs.isWaiting).toBe(false);
  parts.pop();
  jobs.wakeUp({});
  await round();
  expect(jobs.isWaiting).toBe(true);
  clock.advance(59_999);
  expect(rung()).toBe(0);
  clock.advance(1);
  expect(rung()).toBe(1);
  expect(jobs.isWaiting).toBe(false);
  expect(await round()).toHaveLength(2);
});

test('a worker without parts waits for no start', async () => {
  const { jobs, round } = limited();
  await round();
  expect(jobs.isWaiting).toBe(false);
});

test('a rate whose time has come before the end of the sweep is looked at again', async () => {
  const { parts, round, ends, clock, rung } = limited();
  parts.push(rated('a'));
  ends.set(rated('a').limits, (pass) => {
    pass.end = 'no start';
  });
  await round();
  clock.advance(1);
  expect(rung()).toBe(1);
});
