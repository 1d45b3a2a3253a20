import { Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { JobHandler, RowlockModule, type RunOf } from '../src/index.js';
import { start } from './application.js';
import { DATABASES, type Database, type Tx } from './databases.js';

const Work = { kind: 'work', payload: z.object({ until: z.enum(['released', 'aborted']) }) };

/** What has happened, in its order. */
let events: string[] = [];
let begun = Promise.withResolvers<void>();
let released = Promise.withResolvers<void>();
beforeEach(() => {
  events = [];
  begun = Promise.withResolvers();
  released = Promise.withResolvers();
});

/** A service as a client of a database: it is connected from the bootstrap on, and until its module is destroyed. */
@Injectable()
class Connection implements OnApplicationBootstrap, OnModuleDestroy {
  onApplicationBootstrap(): void {
    events.push('connected');
  }

  onModuleDestroy(): void {
    events.push('disconnected');
  }
}

@Module({ providers: [Connection], exports: [Connection] })
class ConnectionModule {}

@JobHandler(Work)
class Worker {
  constructor(readonly connection: Connection) {}

  async run({ job, tx, signal }: RunOf<typeof Work, Tx>): Promise<void> {
    events.push('run begins');
    await tx.query('SELECT 1');
    begun.resolve();
    if (job.payload.until === 'released') await released.promise;
    else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    events.push('run ends');
  }
}

@Module({ imports: [ConnectionModule], providers: [Worker] })
class WorkModule {}

describe.each(DATABASES)('on $name', ({ job, open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.drop());

  const states = (publicId: string) =>
    database.rows(`SELECT status FROM ${job} WHERE kind = 'work' AND public_id = '${publicId}'`);

  test('a close in the middle of a run waits for it, and the services of the handler end after it', async () => {
    const { app, rowlock } = await start(database, { imports: [WorkModule] });
    const { publicId } = await rowlock.enqueue(Work, { payload: { until: 'released' } });
    await begun.promise;
    const closed = app.close().then(() => events.push('closed'));
    // What is enqueued while the application ends is enqueued.
    expect(await rowlock.enqueue(Work, { payload: { until: 'released' } })).toMatchObject({
      outcome: 'enqueued',
    });
    released.resolve();
    await closed;
    expect(events).toEqual(['connected', 'run begins', 'run ends', 'disconnected', 'closed']);
    expect(await states(publicId)).toEqual([{ status: 'complete' }]);
    await expect(rowlock.enqueue(Work, { payload: { until: 'released' } })).rejects.toMatchObject({
      code: 'ROWLOCK_CLOSED',
    });
    await database.rows(`DELETE FROM ${job} WHERE status = 'new'`);
  });

  test('a run that goes on for longer than drain is aborted, and its job goes back', async () => {
    const { app, rowlock } = await start(database, { imports: [WorkModule] }, { worker: { drain: '10ms' } });
    const { publicId } = await rowlock.enqueue(Work, { payload: { until: 'aborted' } });
    await begun.promise;
    await app.close();
    expect(events).toEqual(['connected', 'run begins', 'disconnected']);
    expect(await states(publicId)).toEqual([{ status: 'new' }]);
  });

  test('a worker that cannot start fails the boot with its error', async () => {
    const empty = await open();
    const root = {
      imports: [RowlockModule.forRoot({ driver: empty.driver() }), WorkModule],
    };
    const app = (await Test.createTestingModule(root).compile()).createNestApplication({ logger: false });
    await expect(app.init()).rejects.toMatchObject({ code: 'SchemaOutdated', message: /migrate/ });
    await app.close();
    await expect(app.get(Rowlock).jobs.count()).rejects.toMatchObject({ code: 'ROWLOCK_CLOSED' });
    await empty.drop();
  });
});
