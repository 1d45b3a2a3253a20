import { setImmediate as turn } from 'node:timers/promises';
import type { DriverError } from '@rowlock/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClientPool } from './pool-size.js';
import { type ClaimSource, SharedPool } from './shared-pool.js';

const REFUSAL = new Error('too many connections');

/** How long a claim waits for a place that no other claim has. */
const ANSWER_MS = 1_000;

interface Client {
  readonly number: number;
}

/** A pool of 10 connections at most, on a server that accepts `accepts` of them. */
class Pool implements ClientPool<Client> {
  most = 10;
  accepts = Number.POSITIVE_INFINITY;
  open = 0;
  refused = 0;
  #opening = 0;
  #opened = 0;
  readonly #idle: Client[] = [];
  readonly #queue: ((client: Client) => void)[] = [];

  isRefusal(error: unknown): boolean {
    return error === REFUSAL;
  }

  get free(): number {
    return this.#idle.length + this.most - this.open - this.#opening - this.#queue.length;
  }

  async connect(): Promise<Client> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.open + this.#opening >= this.most) return new Promise((resolve) => this.#queue.push(resolve));
    this.#opening += 1;
    await turn();
    this.#opening -= 1;
    if (this.open >= this.accepts) {
      this.refused += 1;
      throw REFUSAL;
    }
    this.open += 1;
    this.#opened += 1;
    return { number: this.#opened };
  }

  giveBack(client: Client): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#idle.push(client);
    else next(client);
  }
}

let pool: Pool;
let shared: SharedPool<Client>;
let source: ClaimSource<Client>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  pool = new Pool();
  shared = new SharedPool(pool, false);
  source = { take: () => shared.connect(ANSWER_MS), giveBack: (client) => pool.giveBack(client) };
});

afterEach(() => {
  vi.useRealTimers();
});

/** Claims at once, and returns what they hold so far, in the order in which they came to it. */
async function claims(count: number): Promise<{ name: string; client: Client }[]> {
  const held: { name: string; client: Client }[] = [];
  for (let number = 1; number <= count; number++) void claim(`claim ${number}`, held);
  await settled();
  return held;
}

async function claim(
  name: string,
  held: { name: string; client: Client }[],
  isSettlement = false,
): Promise<void> {
  held.push({ name, client: await shared.hold(source, ANSWER_MS, isSettlement) });
}

function end(client: Client): void {
  pool.giveBack(client);
  shared.letGo();
}

/** Until nothing goes on that no timer drives. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn();
}

test('claims leave one connection to short statements, where the server accepts fewer than the pool may open', async () => {
  shared.join(5);
  pool.accepts = 3;
  const held = await claims(5);
  expect(held).toHaveLength(2);
  const statement = await shared.connect(ANSWER_MS);
  pool.giveBack(statement);
  expect(pool.most).toBe(3);
});

test('a claim that ends gives its place to the next one, and the server is not tried again', async () => {
  shared.join(5);
  pool.accepts = 3;
  const held = await claims(5);
  const { refused } = pool;
  for (let ended = 0; ended < held.length; ended++) {
    end((held[ended] ?? expect.fail()).client);
    await settled();
  }
  expect(held).toHaveLength(5);
  expect(pool.refused).toBe(refused);
});

test('the settlement of a lease comes before new claims', async () => {
  shared.join(5);
  pool.accepts = 2;
  const held = await claims(3);
  expect(held).toHaveLength(1);
  void claim('settlement', held, true);
  end((held[0] ?? expect.fail()).client);
  await settled();
  expect(held.map(({ name }) => name).slice(1)).toEqual(['settlement']);
});

test('statements wait while the server refuses another connection', async () => {
  pool.accepts = 1;
  const first = await shared.connect(ANSWER_MS);
  const second = shared.connect(ANSWER_MS);
  await settled();
  pool.giveBack(first);
  expect(await second).toBe(first);
});

test('without any connection a statement tries again, and rejects at the end of its time', async () => {
  pool.accepts = 0;
  const waiting = shared.connect(ANSWER_MS);
  waiting.catch(() => {});
  await settled();
  pool.accepts = 1;
  await vi.advanceTimersByTimeAsync(100);
  await settled();
  expect(await waiting).toEqual({ number: 1 });
  vi.useRealTimers();
  await expect(new SharedPool(Object.assign(new Pool(), { accepts: 0 }), false).connect(1)).rejects.toBe(
    REFUSAL,
  );
});

test('where one connection is all, no claim has it, and each says why', async () => {
  shared.join(5);
  pool.accepts = 1;
  const waiting = shared.hold(source, 0, false);
  waiting.catch(() => {});
  await settled();
  await vi.advanceTimersByTimeAsync(ANSWER_MS);
  await expect(waiting).rejects.toMatchObject({
    code: 'OutOfResources',
    message: expect.stringMatching(/accepts only 1\b/),
  });
  expect(pool.open).toBe(1);
});

test('the pool grows again when the server accepts more, one connection after the other', async () => {
  shared.join(5);
  pool.accepts = 2;
  const held = await claims(5);
  expect(held).toHaveLength(1);
  pool.accepts = 10;
  for (let seconds = 0; held.length < 5 && seconds < 60; seconds++) {
    await vi.advanceTimersByTimeAsync(1_000);
    await settled();
  }
  expect(held).toHaveLength(5);
  expect(pool.open).toBe(6);
});

test('while the server refuses, it is tried less and less often', async () => {
  shared.join(5);
  pool.accepts = 2;
  await claims(5);
  const before = pool.refused;
  for (let seconds = 0; seconds < 120; seconds++) {
    await vi.advanceTimersByTimeAsync(1_000);
    await settled();
  }
  expect(pool.refused - before).toBeGreaterThan(3);
  expect(pool.refused - before).toBeLessThan(30);
});

test('the pool has its own size again when nobody needs more', async () => {
  pool.accepts = 1;
  const first = await shared.connect(ANSWER_MS);
  const second = shared.connect(ANSWER_MS);
  await settled();
  pool.giveBack(first);
  pool.giveBack(await second);
  expect(pool.most).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pool.most).toBe(10);
});

test('the shortage is told once, with the numbers', async () => {
  shared.join(5);
  pool.accepts = 4;
  const told: DriverError[] = [];
  const stop = shared.onShortage((error) => told.push(error));
  await claims(5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toMatchObject([
    {
      code: 'OutOfResources',
      message: expect.stringMatching(
        /no more than 4 .* may open 10, so at most 3 runs .* too many connections/,
      ),
      cause: REFUSAL,
    },
  ]);
  stop();
});

test('of a pool that an application shares, a claim takes a connection only when another is free', async () => {
  shared = new SharedPool(pool, true);
  shared.join(5);
  const taken = await Promise.all(Array.from({ length: 7 }, () => pool.connect()));
  vi.useRealTimers();
  const held = await claims(3);
  await vi.waitUntil(() => held.length === 2, 30_000);
  for (const client of taken) pool.giveBack(client);
  await vi.waitUntil(() => held.length === 3, 30_000);
});

test('claims that wait for another connection give theirs back when the pool shrinks meanwhile', async () => {
  pool.most = 3;
  shared = new SharedPool(pool, false);
  shared.join(2);
  pool.accepts = 2;
  const held = await claims(1);
  expect(held).toHaveLength(1);
  const record = Promise.withResolvers<Client>();
  const take = async (): Promise<Client> => {
    const client = await shared.connect(ANSWER_MS);
    // The third connection is on its way for a record, so the proof of the second claim waits in the pool's queue.
    record.resolve(shared.connect(ANSWER_MS));
    return client;
  };
  const second = shared.hold({ ...source, take }, ANSWER_MS, false);
  pool.giveBack(await record.promise);
  end((held[0] ?? expect.fail()).client);
  pool.giveBack(await second);
});

test('without workers, claims may have all connections', async () => {
  expect(await claims(10)).toHaveLength(10);
});
