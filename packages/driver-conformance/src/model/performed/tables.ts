import type { Result } from '../result.js';
import { EFFECTS } from './setting.js';
import type { WorldState } from './state.js';
import { HOUR_MS } from './time.js';

/** What the tables hold, read past the driver. */
export async function look<Tx>({ setting, names }: WorldState<Tx>): Promise<Result> {
  const { reader } = setting.database;
  const rows = (await Promise.all(names.queues.map((queue) => reader.jobs(queue)))).flat();
  const soon = (await reader.now()).getTime() + HOUR_MS;
  const jobs = rows
    .sort((one, other) => names.place(one.publicId) - names.place(other.publicId))
    .map(async (row) => ({
      ...names.asWanted(row),
      status: row.status,
      attempt: row.attempt,
      crashes: row.crashes,
      isAvailable: row.availableAt.getTime() < soon,
      isFinished: row.finishedAt !== null,
      run: names.run(row.runId),
      unique: names.short(row.uniqueKey),
      output: names.run(row.output),
      error: row.error?.code ?? null,
      limits: names.shortLimits(row.limits),
      metadata: row.metadata,
      payload: row.payload,
      // When the one that has completed the job began is worked out of what it said it took.
      runs: [...(await reader.runs(row.publicId))]
        .sort((one, other) => Number(one.outcome === 'complete') - Number(other.outcome === 'complete'))
        .map(({ runId, workerId, outcome, finishedAt, progress }) => ({
          run: names.run(runId),
          worker: workerId === null || outcome === 'complete' ? null : names.worker(workerId),
          outcome,
          isFinished: finishedAt !== null,
          progress,
        })),
    }));
  const effects = (await reader.exec(`SELECT note FROM ${EFFECTS}`)).map(({ note }) => String(note));
  const own = effects.filter((note) => names.isOwn(note)).map((note) => names.short(note));
  return { jobs: await Promise.all(jobs), effects: own.sort() };
}
