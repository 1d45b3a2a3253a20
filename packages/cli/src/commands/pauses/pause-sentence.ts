import type { PauseView } from '@rowlock/core/types';
import { time } from '../../output/values.js';

export function pauseSentence({ scope, name, until, reason, by, pausedAt }: PauseView): string {
  const work = scope === 'all' ? 'All work' : `The ${scope} ${name}`;
  const end = until === null ? '' : `, until ${time(until)}`;
  return `${work} is paused by ${by} since ${time(pausedAt)}${end}${reason === null ? '' : `: ${reason}`}.`;
}
