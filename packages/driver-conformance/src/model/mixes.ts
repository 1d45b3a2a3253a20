import type fc from 'fast-check';
import type { Command } from './command.js';
import { commandsOf } from './command.js';
import type { WantedLimits } from './parts.js';
import { SHARED_VERBS } from './shared-verbs.js';
import { VERBS } from './verbs.js';

type Verb = keyof typeof VERBS;

const all = Object.keys(VERBS);
const shared = Object.keys(SHARED_VERBS);
const jobs = all.filter((verb) => !shared.includes(verb));
const claims: readonly Verb[] = ['enqueue', 'end', 'claim', 'lockSiblings', 'finish', 'rollback', 'survey'];
const leases: readonly Verb[] = [
  'enqueue',
  'claim',
  'lockSiblings',
  'startRuns',
  'lease',
  'lockLeased',
  'settle',
  'finish',
  'commit',
  'reclaim',
  'crash',
  'stop',
];
const slots: readonly Verb[] = ['enter', 'setLimit', 'rollback'];

/** What a sequence is made of is drawn from one of these. Where something is left out the rest meets more often. */
export const MIXES: readonly (readonly fc.Arbitrary<Command>[])[] = [
  mixOf(all, (limits) => limits),
  mixOf(jobs, () => null),
  mixOf(leases, () => null),
  mixOf([...leases, ...slots], (limits) => limits ?? { a: 1 }),
  mixOf([...claims, ...shared], (limits) => limits),
];

/** @param change What limits jobs have, and what is claimed, instead of those that were drawn. */
function mixOf(verbs: readonly string[], change: (limits: WantedLimits | null) => WantedLimits | null) {
  const changed = (command: Command): Command => ({
    ...command,
    ...('jobs' in command && {
      jobs: command.jobs.map((job) => ({ ...job, limits: change(job.limits) })),
    }),
    ...('limits' in command && { limits: change(command.limits) }),
    ...('next' in command &&
      command.next && { next: { ...command.next, limits: change(command.next.limits) } }),
  });
  return commandsOf(verbs).map((arbitrary) => arbitrary.map(changed));
}
