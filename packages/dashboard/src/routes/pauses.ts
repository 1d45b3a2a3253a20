import type { Pausable } from '@rowlock/core';
import { Problem } from '../http/problem.js';
import type { Call } from './route.js';

export async function pause({ operator, fields }: Call): Promise<object> {
  const until = fields.timeToCome('until');
  const reason = fields.textOr('reason', undefined);
  await operator.jobs.pause(workOf(fields), {
    ...(until !== undefined && { until }),
    ...(reason !== undefined && reason !== '' && { reason }),
  });
  return {};
}

export async function resume({ operator, fields }: Call): Promise<object> {
  await operator.jobs.resume(workOf(fields));
  return {};
}

/** @throws Problem 400 */
function workOf(fields: Call['fields']): Pausable {
  const scope = fields.text('scope');
  const name = (): string => fields.text('name');
  switch (scope) {
    case 'all':
      return 'all';
    case 'queue':
      return { queue: name() };
    case 'kind':
      return { kind: name() };
    case 'limit':
      return { limit: name() };
    default:
      throw new Problem(400, 'scope must be all, queue, kind or limit.');
  }
}
