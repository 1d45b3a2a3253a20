import { Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { defineHandler, Rowlock } from '@rowlock/core';
import { memory } from '@rowlock/driver-memory';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  JobHandler,
  Recurring,
  RowlockModule,
  type RowlockModuleOptions,
  type RunOf,
  TRANSACTION,
} from '../src/index.js';

const Greet = { kind: 'greet', payload: z.object({ name: z.string() }) };

@JobHandler(Greet)
class Greeter {
  run({ job }: RunOf<typeof Greet>): string {
    return `Hello ${job.payload.name}`;
  }
}

type Options = Omit<RowlockModuleOptions<unknown>, 'driver'>;

async function boot({ imports = [], ...metadata }: ModuleMetadata, options: Options = {}) {
  const rowlock = RowlockModule.forRoot({ driver: memory(), ...options });
  const module = await Test.createTestingModule({ imports: [rowlock, ...imports], ...metadata }).compile();
  return module.createNestApplication({ logger: false });
}

const refused = (code: string, message: string) => expect.objectContaining({ code, message });
const invalid = (message: string) => refused('ROWLOCK_INVALID_INPUT', message);

test('a handler without run is refused where it is declared, in JavaScript too', () => {
  class Silent {}
  expect(() => JobHandler(Greet)(Object(Silent))).toThrow(
    invalid('The class Silent is a handler, and so needs a method run(context), which runs the jobs.'),
  );
  class OfNumbers {
    run(_: RunOf<{ payload: z.ZodNumber }>): void {}
  }
  // @ts-expect-error the payload of the definition is another one
  JobHandler(Greet)(OfNumbers);
});

test('a class is the handler of one kind alone', () => {
  expect(() => JobHandler({ ...Greet, kind: 'greet.again' })(Greeter)).toThrow(
    invalid(
      'The class Greeter has two @JobHandler: its run is the code of one kind. Give the other kind a class of its own.',
    ),
  );
});

test('an option of a handler that does not exist is refused by its name', () => {
  expect(() => JobHandler(Object({ ...Greet, attemps: 3 }))(Object(Greeter))).toThrow(
    /attemps.*Is attempts meant\?/,
  );
});

test('a class that no module provides is refused', async () => {
  const handlers = [defineHandler({ ...Greet, use: Greeter })];
  await expect(boot({}, { handlers })).rejects.toEqual(
    invalid(
      'The class Greeter is a handler, and no module has it in its providers, from which Nest would build it.',
    ),
  );
});

test('a class of an option is built by Nest if a module provides it', async () => {
  @Injectable()
  class Names {
    readonly of = 'Names';
  }

  @Injectable()
  class Plain {
    constructor(readonly names: Names) {}
    run() {
      return this.names.of;
    }
  }

  const handler = defineHandler({ ...Greet, use: Plain });
  const app = await boot({ providers: [Plain, Names] }, { handlers: [handler] });
  const rowlock = app.get(Rowlock);
  await rowlock.migrate();
  await app.init();
  const { publicId } = await rowlock.enqueue(handler, { payload: { name: 'Ada' } });
  expect(await rowlock.settled(publicId)).toMatchObject({ output: 'Names' });
  await app.close();
});

test('another object may stand in for a handler in a test', async () => {
  const rowlockModule = RowlockModule.forRoot({ driver: memory() });
  const module = await Test.createTestingModule({ imports: [rowlockModule], providers: [Greeter] })
    .overrideProvider(Greeter)
    .useValue({ run: () => 'instead' })
    .compile();
  const rowlock = module.get(Rowlock);
  await rowlock.migrate();
  await module.init();
  const { publicId } = await rowlock.enqueue(Greet, { payload: { name: 'Ada' } });
  expect(await rowlock.settled(publicId)).toMatchObject({ output: 'instead' });
  await module.close();
});

test('a class that two modules provide is refused, with their names', async () => {
  @Module({ providers: [Greeter] })
  class Here {}
  @Module({ providers: [Greeter] })
  class There {}

  await expect(boot({ imports: [Here, There] })).rejects.toEqual(
    invalid(
      'The class Greeter is a handler, and a provider of Here and There: leave it to one of them, and export it there if others need it.',
    ),
  );
});

test('two handlers of one kind are refused', async () => {
  @JobHandler(Greet)
  class Other {
    run(): void {}
  }

  await expect(boot({ providers: [Greeter, Other] })).rejects.toEqual(
    refused(
      'ROWLOCK_DUPLICATE_KIND',
      'Two handlers have the kind "greet". Rename one, or pass only one of them.',
    ),
  );
});

test('a class that extends a handler is none', async () => {
  class Extended extends Greeter {}
  await expect(boot({ providers: [Greeter, Extended] })).resolves.toBeDefined();
});

test('a second forRoot is refused', async () => {
  const again = RowlockModule.forRoot({ driver: memory(), worker: false });
  await expect(boot({ imports: [again] }, { worker: false })).rejects.toEqual(
    invalid(
      'RowlockModule.forRoot() is imported twice. Import it in the root module alone: Rowlock is injected in all others without it.',
    ),
  );
});

test('a worker without a handler is refused, and an application with worker: false needs none', async () => {
  await expect(boot({})).rejects.toEqual(
    invalid(
      'There is nothing for a worker to run: no module has a provider with @JobHandler. A process that only enqueues has worker: false in RowlockModule.forRoot().',
    ),
  );
  const app = await boot({}, { worker: false });
  await app.init();
  await app.close();
});

test('a schedule beside no handler is refused, and so are two of one name', async () => {
  @Recurring('lonely', { cron: '* * * * *', payload: {} })
  @Injectable()
  class Lonely {}
  await expect(boot({ providers: [Greeter, Lonely] })).rejects.toEqual(
    invalid(
      'The class Lonely has @Recurring and no @JobHandler: a schedule enqueues jobs of the handler that it stands beside.',
    ),
  );

  @Recurring('greeting', { cron: '0 3 * * *', payload: { name: 'Ada' } })
  @Recurring('greeting', { cron: '0 4 * * *', payload: { name: 'Bob' } })
  @JobHandler(Greet)
  class Twice extends Greeter {}
  await expect(boot({ providers: [Twice] })).rejects.toEqual(
    invalid('The class Twice has two schedules with the name "greeting".'),
  );
});

test('a payload of a schedule that the schema refuses fails the start', async () => {
  @Recurring('greeting', { cron: '0 3 * * *', payload: { name: 1 } })
  @JobHandler(Greet)
  class Wrong extends Greeter {}
  const app = await boot({ providers: [Wrong] });
  await app.get(Rowlock).migrate();
  await expect(app.init()).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_PAYLOAD' });
  await app.close();
});

test.each([
  [{ wroker: false }, /^RowlockModule\.forRoot\(\) has no "wroker"\..*Is worker meant\?/],
  [{ resolve: () => {} }, /^RowlockModule\.forRoot\(\) has no "resolve"\./],
  [{ worker: { concurency: 3 } }, /^worker\(\) has no "concurency"\..*Is concurrency meant\?/],
  [{ worker: { drain: 'soon' } }, /^worker\.drain must be milliseconds/],
  [{ worker: null }, /^worker of RowlockModule\.forRoot\(\) must be an object/],
  [{ worker: true }, /^worker of RowlockModule\.forRoot\(\) must be an object/],
  [{ handlers: 5 }, /^handlers of RowlockModule\.forRoot\(\) must be a list\./],
  [{ plugins: {} }, /^plugins of RowlockModule\.forRoot\(\) must be a list\./],
])('%o is refused', async (options, message) => {
  await expect(boot({ providers: [Greeter] }, Object(options))).rejects.toThrow(message);
});

test('TRANSACTION in a request that is no run is refused', async () => {
  const app = await boot({ providers: [Greeter] });
  await expect(app.resolve(TRANSACTION)).rejects.toEqual(
    invalid(
      "TRANSACTION is that of a run, and this service was built for a request of another kind. Pass the service the transaction as a method's argument where both call it.",
    ),
  );
});
