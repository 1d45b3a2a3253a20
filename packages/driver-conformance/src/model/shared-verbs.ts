import fc from 'fast-check';
import {
  actor,
  caller,
  kinds,
  limitName,
  nth,
  often,
  rateName,
  rates,
  size,
  spacing,
  target,
} from './drawn.js';
import { othersSet } from './predicted/change.js';
import { draw, verb } from './verb.js';

const anybody = often(actor, caller);

/** What all workers share: limits, pauses and rates. */
export const SHARED_VERBS = {
  /** A slot without a job. */
  enter: verb(draw(2, 'enter', { by: actor, name: limitName, max: size }), (tx) => tx === undefined),
  setLimit: verb(
    draw(2, 'setLimit', { by: anybody, name: limitName, max: often(size, null) }),
    (_, { by }, state) => !othersSet(state, by),
  ),
  pause: verb(
    draw(2, 'pause', {
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
  setRate: verb(
    draw(1, 'setRate', { by: anybody, name: rateName, numbers: often(spacing, null) }),
    (_, { by }, state) => !othersSet(state, by),
  ),
  /** For one rate. Below 0 the clock is put back. */
  hoursPass: verb(
    draw(2, 'hoursPass', { name: rateName, hours: fc.constantFrom(1, 1, 2, 3, -100) }),
    (_, { name }, state) => state.rates.has(name),
  ),
  /** The sizes, pauses and numbers that are set. */
  settings: verb(draw(1, 'settings', { by: actor })),
  /** The queues and limits that have due jobs. */
  parts: verb(draw(1, 'parts', { by: actor, kinds })),
};
