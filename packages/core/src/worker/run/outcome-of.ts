import { complete, fail, type HandlerResult, type Outcome, retry, snooze } from '../../handler/outcome.js';
import { checkJson, LIMITS } from '../../input.js';
import type { Job } from '../../job/job.js';

/** How most jobs end. */
const COMPLETE = complete();

/**
 * What a handler's result says of one of its jobs.
 *
 * @throws TypeError, InvalidInputError when it is no result.
 */
export function outcomeOf(result: HandlerResult, job: Job): Outcome {
  if (result === undefined) return COMPLETE;
  const given: unknown = result instanceof Map ? result.get(job.publicId) : (result ?? COMPLETE);
  if (result instanceof Map && given === undefined) throw noOutcome(job);
  const outcome = typeof given === 'object' && given !== null ? outcomeFrom({ ...given }) : undefined;
  if (outcome !== undefined) return outcome;
  throw new TypeError(
    `The handler returned ${typeOf(given)}: it must return complete(), retry(), snooze() or fail(), a Map of these by public id, or nothing. For a result return complete(result).`,
  );
}

/** An object is read once, as a getter may throw, and to its end: a row of some table may have an `event` too. */
function outcomeFrom(given: Readonly<Record<string, unknown>>): Outcome | undefined {
  const { event, output, error, delayMs } = given;
  if (event === 'complete' && 'output' in given) return completed(output);
  if (event === 'fail' && 'error' in given) return fail(error);
  if (event === 'snooze' && typeof delayMs === 'number') return snooze(delayMs);
  if (event !== 'retry' || !('error' in given)) return;
  if (delayMs === null) return retry(error);
  if (typeof delayMs === 'number') return retry(error, { after: delayMs });
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}

function completed(output: unknown): Outcome {
  try {
    return complete(output === null ? null : checkJson('The output', output, LIMITS.payloadBytes));
  } catch (error) {
    return fail(error);
  }
}

export function noOutcome({ publicId }: Job): TypeError {
  return new TypeError(`The handler returned no outcome for job ${publicId}.`);
}
