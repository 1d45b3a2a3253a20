import { isMap } from 'node:util/types';
import { notJson } from '../../handler/not-json.js';
import { complete, isOutcome, type Outcome } from '../../handler/outcome.js';
import { checkJson, LIMITS } from '../../input.js';
import type { Job } from '../../job/job.js';
import type { Json } from '../../job/json.js';

const COMPLETE: Outcome = complete();

/**
 * The outcome of one job in a handler's result.
 *
 * @throws TypeError, InvalidInputError when it is no result.
 */
export function outcomeOf(result: unknown, job: Job): Outcome {
  if (result === undefined || result === null) return COMPLETE;
  if (isOutcome(result)) return checked(result);
  if (isMap(result)) return outcomeIn(result, job);
  return complete(checkedOutput(result));
}

function outcomeIn(outcomes: ReadonlyMap<unknown, unknown>, job: Job): Outcome {
  const outcome = outcomes.get(job.publicId);
  if (outcome === undefined) throw noOutcome(job);
  if (isOutcome(outcome)) return checked(outcome);
  throw new TypeError(
    `The handler returned a Map with ${typeof outcome} for job ${job.publicId}: a Map must have complete(), retry(), snooze(), pause() or fail() for each job.`,
  );
}

function checked(outcome: Outcome<unknown>): Outcome {
  return outcome.event === 'complete' ? complete(checkedOutput(outcome.output)) : outcome;
}

function checkedOutput(output: unknown): Json {
  if (output === null) return null;
  const found = notJson(output);
  if (found === undefined) return checkJson('The output', output, LIMITS.payloadBytes);
  const { path, type } = found;
  const where = path.length === 0 ? '' : ` at ${JSON.stringify(path.join('.'))}`;
  throw new TypeError(
    `The handler returned ${type}${where}, which is not JSON. It must return JSON, complete(), retry(), snooze(), pause() or fail(), a Map of these outcomes by public id, or nothing.`,
  );
}

export function noOutcome({ publicId }: Job): TypeError {
  return new TypeError(`The handler returned no outcome for job ${publicId}.`);
}
