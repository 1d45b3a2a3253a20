import type { BegunRun, LatestRunsOptions } from '@rowlock/core/types';
import { errorSummary } from '../error-summary.js';
import { timeOf } from '../http/fields.js';
import { Problem } from '../http/problem.js';
import { textIn } from '../http/text-in.js';
import { type Redact, redactError } from '../redact.js';
import type { RunRow, RunsView } from '../views.js';
import type { Call } from './route.js';

/** The outcomes that a run may have. */
const OUTCOMES: Readonly<Record<BegunRun['outcome'], true>> = {
  running: true,
  crashed: true,
  complete: true,
  fail: true,
  retry: true,
  snooze: true,
  release: true,
  exhaust: true,
  abandon: true,
};

/** The latest runs that the address means: `?queue=mail&outcome=crashed&before=2026-11-26T09:00Z&limit=200`. */
export async function runs({ rowlock, query, redact }: Call): Promise<RunsView> {
  const found = await rowlock.insight.runs({
    ...textIn(query, 'queue'),
    ...textIn(query, 'kind'),
    ...textIn(query, 'worker'),
    ...outcomeIn(query),
    ...time(query, 'from'),
    ...time(query, 'before'),
    limit: Number(query.get('limit') ?? 200),
  });
  return { ...found, runs: found.runs.map((run) => rowOf(run, redact)) };
}

function time<Name extends 'from' | 'before'>(
  query: URLSearchParams,
  name: Name,
): { readonly [Each in Name]?: Date } {
  const value = query.get(name) ?? '';
  const found: { [Each in Name]?: Date } = {};
  if (value !== '') found[name] = timeOf(name, value);
  return found;
}

/** @throws Problem 400 */
function outcomeIn(query: URLSearchParams): Pick<LatestRunsOptions, 'outcome'> {
  const value = query.get('outcome') ?? '';
  if (value === '') return {};
  if (!isOutcome(value)) throw new Problem(400, `outcome must be of ${Object.keys(OUTCOMES).join(', ')}.`);
  return { outcome: value };
}

function isOutcome(text: string): text is BegunRun['outcome'] {
  return Object.hasOwn(OUTCOMES, text);
}

function rowOf({ progress, ...run }: BegunRun, redact: Redact | undefined): RunRow {
  const error = errorSummary(run.error);
  return { ...run, error: redact === undefined ? error : redactError(error, run, redact) };
}
