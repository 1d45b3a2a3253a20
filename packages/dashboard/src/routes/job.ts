import { type JobChanges, JobNotFoundError, type JobView } from '@rowlock/core';
import { Problem } from '../http/problem.js';
import { redactExplanation, redactJob, redactRow } from '../redact.js';
import type { JobPageView } from '../views.js';
import type { Call } from './route.js';

export async function job({ rowlock, query, redact, linksOf }: Call): Promise<JobPageView> {
  const id = query.get('id') ?? '';
  const job = await found(rowlock, id);
  const [runs, explanation] = await Promise.all([rowlock.insight.runs(id), rowlock.insight.explain(id)]);
  const links = linksOf(job);
  if (redact === undefined) return { job, links, runs, explanation };
  return {
    links,
    job: redactJob(job, redact),
    runs: runs.map((run) => redactRow(run, job, redact)),
    explanation: redactExplanation(explanation, job, redact),
  };
}

/** @throws JobNotFoundError */
async function found(rowlock: Call['rowlock'], id: string): Promise<JobView> {
  const job = await rowlock.find(id);
  if (job === undefined) throw new JobNotFoundError(id);
  return job;
}

export async function jobCancel({ operator, fields }: Call): Promise<object> {
  return { outcome: await operator.cancel(fields.text('id')) };
}

export async function jobRedrive({ operator, fields }: Call): Promise<object> {
  await operator.redrive(fields.text('id'));
  return {};
}

/** Changes a job of which `was` says, where it is given, how it was read. */
export async function jobUpdate({ rowlock, operator, fields, redact }: Call): Promise<object> {
  const id = fields.text('id');
  const payload = fields.value('payload');
  if (payload !== undefined && redact !== undefined)
    throw new Problem(409, 'Payloads are redacted here, so they cannot be changed here.');
  const runAt = fields.time('runAt');
  const changes: JobChanges = {
    ...(payload !== undefined && { payload }),
    ...(runAt !== undefined && { runAt }),
    ...(fields.value('priority') !== undefined && { priority: fields.number('priority') }),
  };
  const was = fields.value('was');
  if (was !== undefined) requireAsRead(await found(rowlock, id), changes, Object(was));
  return { outcome: await operator.update(id, changes) };
}

/** @throws Problem 409 where somebody else has changed the same, which would be lost without a word. */
function requireAsRead(
  { payload, priority, availableAt }: JobView,
  changes: JobChanges,
  was: Readonly<Record<string, unknown>>,
): void {
  const is: Readonly<Record<string, unknown>> = { payload, priority, runAt: availableAt };
  const others = Object.keys(changes).filter(
    (name) => JSON.stringify(is[name]) !== JSON.stringify(was[name]),
  );
  if (others.length > 0)
    throw new Problem(
      409,
      `Somebody has changed ${others.join(' and ')} of the job meanwhile: read it again.`,
    );
}
