import 'reflect-metadata';
import { inject, injectable, container as root } from 'tsyringe';
import { expect, test } from 'vitest';
import type { RunContext } from './handler/handler.js';
import { complete } from './handler/outcome.js';
import { TRANSACTION, tsyringe } from './tsyringe.js';

interface Tx {
  readonly name: string;
}

@injectable()
class Repository {
  constructor(@inject(TRANSACTION) readonly tx: Tx) {}
}

@injectable()
class Greet {
  constructor(@inject(Repository) readonly repository: Repository) {}

  run() {
    return complete(this.repository.tx.name);
  }
}

// Only what the container needs of a context is made here.
const contextWith = (tx: Tx): RunContext<unknown, Tx> => ({ tx }) as RunContext<unknown, Tx>;

test('each run has its own transaction in its own container', async () => {
  const resolve = tsyringe();
  const first = await resolve(Greet, contextWith({ name: 'first' }));
  const second = await resolve(Greet, contextWith({ name: 'second' }));
  expect(first.handler.run(contextWith({ name: '' }))).toEqual(complete('first'));
  expect(second.handler.run(contextWith({ name: '' }))).toEqual(complete('second'));
  await first.dispose?.();
  await second.dispose?.();
});

test('the root container is not touched', async () => {
  await tsyringe()(Greet, contextWith({ name: 'any' }));
  expect(root.isRegistered(TRANSACTION)).toBe(false);
});

test("an application's own container is the parent", async () => {
  const own = root.createChildContainer();
  own.register('greeting', { useValue: 'Ahoy' });
  @injectable()
  class Ahoy {
    constructor(@inject('greeting') readonly greeting: string) {}
    run() {
      return complete(this.greeting);
    }
  }
  const { handler } = await tsyringe(own)(Ahoy, contextWith({ name: 'any' }));
  expect(handler.run(contextWith({ name: '' }))).toEqual(complete('Ahoy'));
});
