import { AUDIT_ACTIONS, AUDIT_SCOPES } from '@rowlock/core';
import type { AuditOptions, AuditPage } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import { textIn } from '../http/text-in.js';
import type { Call } from './route.js';

/** What operators have done, a page at a time: `?by=ada&scope=queue&name=mail`. */
export async function audit({ rowlock, query }: Call): Promise<AuditPage> {
  const action = chosen(query, 'action', AUDIT_ACTIONS);
  const scope = chosen(query, 'scope', AUDIT_SCOPES);
  const options: AuditOptions = {
    ...textIn(query, 'by'),
    ...textIn(query, 'name'),
    ...textIn(query, 'cursor'),
    ...(action !== undefined && { action }),
    ...(scope !== undefined && { scope }),
    limit: 50,
  };
  return rowlock.insight.audit(options);
}

/** @throws Problem 400 */
function chosen<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = query.get(name) ?? '';
  const choice = choices.find((each) => each === text);
  if (choice === undefined && text !== '')
    throw new Problem(400, `${name} must be of ${choices.join(', ')}.`);
  return choice;
}
