import { eventually, type TestDatabase } from '@rowlock/app-shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApplication, type TestApplication } from './test-application.js';
import type { UserOfApi } from './user-of-api.js';

/**
 * What users do, with workers that are processes of the operating system, as they are in production.
 *
 * @param claim How the workers keep their claims: `hold` or `lease`.
 */
export function describeFlow(database: TestDatabase, claim: string): void {
  describe(`on ${database.name}, by ${claim}`, () => {
    let app: TestApplication;
    let ada: UserOfApi;

    beforeEach(async () => {
      app = await startTestApplication({ on: database, env: { WORKER_CLAIM: claim } });
      ada = await app.user('Ada');
    });

    afterEach(() => app.stop());

    async function ready(id: string): Promise<string> {
      const url = await eventually(async () => (await ada.spreadsheet(id)).url ?? undefined);
      return url.split('/').at(-2) ?? '';
    }

    test('thirty impatient clicks become at most two runs of at most three calls each', async () => {
      await Promise.all([app.startWorker('worker-1'), app.startWorker('worker-2')]);
      const { id } = await ada.create('Oars', [
        ['Oars', 8],
        ['Rowlocks', 8],
      ]);
      const googleId = await ready(id);
      const created = app.emulator.calls();
      expect(created.length).toBeLessThanOrEqual(3);

      app.emulator.type(googleId, 'A3', [
        ['Oars', '9'],
        ['Rowlocks', '8'],
        ['Life jackets', '9'],
      ]);
      app.emulator.clearCalls();
      // The run of the first click is at its first call until all clicks are accepted.
      const accepted = Promise.withResolvers<void>();
      app.emulator.fail({ path: 'values:batchGet', until: accepted.promise });
      const answers = await Promise.all(Array.from({ length: 30 }, () => ada.sendBack(id)));
      expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(202));
      accepted.resolve();

      const settled = await eventually(async () => {
        const { jobs } = await ada.spreadsheet(id);
        const updates = jobs.filter(({ kind }) => kind === 'spreadsheet.update');
        return updates.every(({ status }) => status === 'complete') && updates;
      });
      expect(settled).toHaveLength(30);
      const runs = new Set(settled.map(({ run }) => run)).size;
      expect(runs).toBeLessThanOrEqual(2);
      expect(app.emulator.calls().length).toBeLessThanOrEqual(3 * runs);
      expect(await ada.spreadsheet(id)).toMatchObject({
        returns: runs,
        rows: [
          ['Oars', 9],
          ['Rowlocks', 8],
          ['Life jackets', 9],
        ],
      });
    });

    test('a worker that is killed in the middle of a create: another one takes the job over, and there is one sheet', async () => {
      const first = await app.startWorker('worker-1');
      const [killed, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      app.emulator.fail({ path: ':batchUpdate', until: killed.promise });
      const { id, job } = await ada.create('Oars');
      await eventually(
        async () => (await ada.job(job)).worker === 'worker-1' && app.emulator.spreadsheets().length === 1,
      );
      await app.startWorker('worker-2');

      app.emulator.fail({ path: 'files', until: seen.promise });
      await first.kill();
      killed.resolve();
      await eventually(async () => (await ada.job(job)).worker === 'worker-2');
      seen.resolve();

      await ready(id);
      expect(await ada.job(job)).toMatchObject({ status: 'complete', attempt: 2, worker: null, error: null });
      expect(app.emulator.spreadsheets()).toHaveLength(1);
      expect(await app.rowlock.jobs.count()).toMatchObject({ count: 1 });
      expect(await app.rowlock.jobs.count({ status: 'complete' })).toMatchObject({ count: 1 });
    });

    test('while all workers are away requests are kept, and one worker settles them all', async () => {
      const sheets = await Promise.all(Array.from({ length: 10 }, (_, each) => ada.create(`Sheet ${each}`)));
      for (const { id } of sheets) await Promise.all(Array.from({ length: 9 }, () => ada.sendBack(id)));
      expect(await app.rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 100 });

      await app.startWorker('worker-1');
      await eventually(async () => (await app.rowlock.jobs.count({ status: 'complete' })).count === 100);
      // Each sheet was created first; then its nine requests became one run.
      for (const { id } of sheets)
        expect(await ada.spreadsheet(id)).toMatchObject({ status: 'ready', returns: 1 });
      expect(app.emulator.spreadsheets()).toHaveLength(10);
    });

    test('a worker that is told to stop finishes what it has begun', async () => {
      const worker = await app.startWorker('worker-1');
      const told = Promise.withResolvers<void>();
      app.emulator.fail({ path: ':batchUpdate', until: told.promise });
      const { job } = await ada.create('Oars');
      await eventually(async () => (await ada.job(job)).worker === 'worker-1');
      const waiting = await ada.create('Not begun');
      const stopped = worker.stop();
      told.resolve();
      expect(await stopped).toBe(0);
      expect(await ada.job(job)).toMatchObject({ status: 'complete', attempt: 1 });
      expect(['new', 'complete']).toContain((await ada.job(waiting.job)).status);
      expect(
        await eventually(async () => (await app.rowlock.insight.workers()).every(({ alive }) => !alive)),
      ).toBe(true);
    });

    test('a spreadsheet that Google refuses fails with the reason, and so do requests to send it back', async () => {
      await app.startWorker('worker-1');
      app.emulator.fail({
        method: 'POST',
        path: 'files',
        status: 403,
        reason: 'insufficientFilePermissions',
      });
      const { id, job } = await ada.create('Oars');
      const failed = await eventually(async () => {
        const now = await ada.job(job);
        return now.status === 'error' && now;
      });
      expect(failed.error?.message).toBeTruthy();
      expect((await ada.spreadsheet(id)).status).toBe('failed');
      const { body } = await ada.sendBack(id);
      await eventually(async () => (await ada.job(body.job)).status === 'error');
    });
  });
}
