import { type JobChanges, JobNotFoundError } from '@rowlock/core';
import { Problem } from '../http/problem.js';
import { redactExplanation, redactJob, redactRow } from '../redact.js';
import type { JobPageView } from '../views.js';
import type { Call } from './route.js';

export async function job({ rowlock, query, redact, linksOf }: Call): Promise<JobPageView> {
  const id = query.get('id') ?? '';
  const found = await rowlock.find(id);
  if (found === undefined) throw new JobNotFoundError(id);
  const [runs, explanation] = await Promise.all([rowlock.insight.runs(id), rowlock.insight.explain(id)]);
  const links = linksOf(found);
  if (redact === undefined) return { job: found, links, runs, explanation };
  return {
    links,
    job: redactJob(found, redact),
    runs: runs.map((run) => redactRow(run, found, redact)),
    explanation: redactExplanation(explanation, found, redact),
  };
}

export async function jobCancel({ operator, fields }: Call): Promise<object> {
  return { outcome: await operator.cancel(fields.text('id')) };
}

export async function jobRedrive({ operator, fields }: Call): Promise<object> {
  await operator.redrive(fields.text('id'));
  return {};
}

export async function jobUpdate({ operator, fields, redact }: Call): Promise<object> {
  const payload = fields.value('payload');
  if (payload !== undefined && redact !== undefined)
    throw new Problem(409, 'Payloads are redacted here, so they cannot be changed here.');
  const runAt = fields.time('runAt');
  const changes: JobChanges = {
    ...(payload !== undefined && { payload }),
    ...(runAt !== undefined && { runAt }),
    ...(fields.value('priority') !== undefined && { priority: fields.number('priority') }),
  };
  return { outcome: await operator.update(fields.text('id'), changes) };
}
