import { expect, test } from 'vitest';
import { Untold } from './untold.js';

/** Settlements on their way, and what ends them. */
function several(number: number) {
  return Array.from({ length: number }, () => {
    let end = (): void => {};
    let fail = (_: Error): void => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    return { ended, end, fail };
  });
}

/** Whether it has come by now. */
async function hasCome(promise: Promise<unknown>): Promise<boolean> {
  let come = false;
  promise.then(
    () => (come = true),
    () => (come = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return come;
}

test('a slot goes on while a few settlements are on their way, and rests when all of them have ended', async () => {
  const untold = new Untold();
  const ways = several(4);
  for (const { ended } of ways) await untold.add(ended);
  const rest = untold.rest();
  for (const { end } of ways) {
    expect(await hasCome(rest)).toBe(false);
    end();
  }
  await rest;
});

test('with more than that it waits for the first one', async () => {
  const untold = new Untold();
  const [first, ...others] = several(5);
  if (first) await untold.add(first.ended);
  for (const { ended } of others.slice(0, -1)) await untold.add(ended);
  const added = untold.add(others.at(-1)?.ended ?? Promise.resolve());
  for (const { end } of others) end();
  expect(await hasCome(added)).toBe(false);
  first?.end();
  await added;
  await untold.rest();
});

test('what one of them ends with is told once, by whoever waits for it', async () => {
  const untold = new Untold();
  const [one, two] = several(2);
  if (one) await untold.add(one.ended);
  if (two) await untold.add(two.ended);
  one?.fail(new Error('gone'));
  // Nobody waits for it yet, and that ends no process.
  await new Promise((resolve) => setImmediate(resolve));
  two?.end();
  await expect(untold.rest()).rejects.toThrow('gone');
});
