import { randomUUID } from 'node:crypto';
import type { Json, State } from '@rowlock/core';
import type { JobId } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';

/** The payloads of the jobs in a state, oldest first, as they are listed and counted. */
async function found<Tx>({ driver, queue }: Stage<Tx>, status: State): Promise<readonly Json[]> {
  const page = { limit: 100, before: null };
  const { jobs } = await driver.jobs.list({ queue, status }, page);
  expect(await driver.jobs.count({ queue, status }, page)).toEqual({ count: jobs.length, next: null });
  return jobs.map(({ payload }) => payload).reverse();
}

/** A worker that runs jobs and reports them. */
async function reportingWorker<Tx>(stage: Stage<Tx>) {
  const { driver, put, hold } = stage;
  const { workerId } = await stage.anchor();
  return {
    async runs(payload: Json) {
      await put({ payload });
      const { held, job } = await hold();
      const runId = randomUUID();
      await driver.claims.startRuns([{ runId, workerId, jobs: [job] }], []).visible;
      return { held, job, runId };
    },
    report: (...runningIds: readonly JobId[]) =>
      driver.history.report(workerId, { tallies: [], running: [], runningIds }),
  };
}

export const reportedRuns = theme('reported runs', (test) => {
  test('a job is in progress before its worker reports, and after each report', async (stage) => {
    const worker = await reportingWorker(stage);
    const { job } = await worker.runs('first');
    expect(await found(stage, 'in-progress')).toEqual(['first']);
    for (let reports = 1; reports <= 3; reports++) {
      await worker.report(job.id);
      expect(await found(stage, 'in-progress')).toEqual(['first']);
      expect(await found(stage, 'new')).toEqual([]);
    }
  });

  test('a job whose run began after the last reports is in progress', async (stage) => {
    const worker = await reportingWorker(stage);
    const { job } = await worker.runs('first');
    for (let reports = 1; reports <= 3; reports++) await worker.report(job.id);
    await stage.put({ kind: 'other', payload: 'waits' });
    await worker.runs('second');
    expect(await found(stage, 'in-progress')).toEqual(['first', 'second']);
    expect(await found(stage, 'new')).toEqual(['waits']);
  });

  test('a job that was settled since the report is no longer in progress', async (stage) => {
    const worker = await reportingWorker(stage);
    const { held, job, runId } = await worker.runs('first');
    for (let reports = 1; reports <= 2; reports++) await worker.report(job.id);
    await held.settle([settlement(job, { runId, event: 'retry', delayMs: 3_600_000 })]);
    await held.commit();
    expect(await found(stage, 'in-progress')).toEqual([]);
    expect(await found(stage, 'new')).toEqual(['first']);
  });
});
