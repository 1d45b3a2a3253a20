import fc from 'fast-check';
import {
  actor,
  anyLimitName,
  caller,
  kinds,
  limitName,
  limitSetting,
  nth,
  often,
  rateName,
  rates,
  size,
  target,
} from './drawn.js';
import { othersSet } from './predicted/change.js';
import { draw, verb } from './verb.js';

const anybody = often(actor, caller);

/** What all workers share: limits and pauses. */
export const SHARED_VERBS = {
  /** A slot without a job. */
  enter: verb(draw(2, 'enter', { by: actor, name: limitName, max: size }), (tx) => tx === undefined),
  setLimit: verb(
    draw(2, 'setLimit', { by: anybody, name: anyLimitName, numbers: often(limitSetting, null) }),
    (_, { by }, state) => !othersSet(state, by),
  ),
  pause: verb(
    draw(3, 'pause', {
      by: anybody,
      target,
      until: fc.constantFrom('for ever', 'tomorrow', 'tomorrow', 'long ago'),
      mode: often('replace', 'extend'),
    }),
    (_, { by }, state) => !othersSet(state, by),
  ),
  /** Something that is paused, if anything is. */
  resume: verb(
    draw(3, 'resume', { by: anybody, paused: nth, target }),
    (_, { by }, state) => !othersSet(state, by),
  ),
  takeStarts: verb(draw(3, 'takeStarts', { by: actor, rates })),
  giveBackStarts: verb(
    draw(1, 'giveBackStarts', { by: actor, take: nth }),
    (_, { take }, state) => take < state.takes,
  ),
  /** For one rate. Below 0 the clock is put back. */
  hoursPass: verb(
    draw(2, 'hoursPass', { name: rateName, hours: fc.constantFrom(1, 1, 2, 3, -100) }),
    (_, { name }, state) => state.rates.has(name),
  ),
  /** The numbers and pauses that are set. */
  settings: verb(draw(3, 'settings', { by: actor })),
  /** The queues and limits that have due jobs. */
  parts: verb(draw(1, 'parts', { by: actor, kinds })),
};
