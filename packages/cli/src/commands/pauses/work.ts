import { Argument } from '@commander-js/extra-typings';
import type { Pausable } from '@rowlock/core';
import { Misuse } from '../../failure.js';

type Scope = 'queue' | 'kind' | 'limit' | 'all';

/** What is paused: `queue mail`, or `all`. */
export const scope = () =>
  new Argument('<scope>', 'whose work').choices(['queue', 'kind', 'limit', 'all'] as const);

/** @throws Misuse */
export function workOf(scope: Scope, name: string | undefined): Pausable {
  if (scope === 'all') {
    if (name === undefined) return 'all';
    throw new Misuse(`'all' takes no name, and not '${name}'.`);
  }
  if (name === undefined) throw new Misuse(`Which ${scope}? Pass its name.`);
  if (scope === 'queue') return { queue: name };
  return scope === 'kind' ? { kind: name } : { limit: name };
}
