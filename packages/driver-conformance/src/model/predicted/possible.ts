import type { Command } from '../command.js';
import { verbOf } from '../command.js';
import { ACTORS, type Actor, CALLERS, type Caller, isCaller } from '../parts.js';
import { pausedNow } from './paused.js';
import type { ModelState } from './state.js';

/** The command as it can be done now: by the next who can, with jobs, runs and leases that are there. */
export function possible(drawn: Command, state: ModelState): Command | undefined {
  const command = numbered(drawn, state);
  if (!('by' in command)) return allows(state, command) ? command : undefined;
  const actors: readonly (Actor | Caller)[] = isCaller(command.by) ? CALLERS : ACTORS;
  const first = actors.indexOf(command.by);
  const others = [...actors.slice(first), ...actors.slice(0, first)];
  return others.map((by) => doneBy(command, by)).find((each) => allows(state, each));
}

/** Whatever number is drawn, it means one that there is. */
function numbered(drawn: Command, state: ModelState): Command {
  const job = (place: number): number => place % Math.max(1, state.jobs.length);
  return {
    ...drawn,
    ...('job' in drawn && { job: job(drawn.job) }),
    ...('before' in drawn && { before: job(drawn.before) }),
    ...('beyond' in drawn && { beyond: drawn.beyond && job(drawn.beyond) }),
    ...('stranger' in drawn && { stranger: drawn.stranger && job(drawn.stranger) }),
    ...('next' in drawn &&
      drawn.next && { next: { ...drawn.next, beyond: drawn.next.beyond && job(drawn.next.beyond) } }),
    ...('take' in drawn && { take: drawn.take % Math.max(1, state.takes) }),
    ...('paused' in drawn && { target: pausedNow(state, drawn.paused) ?? drawn.target }),
    ...('run' in drawn && { run: drawn.run % Math.max(1, state.runs) }),
    ...('lease' in drawn && { lease: drawn.lease % Math.max(1, state.leases.length) }),
  };
}

function allows(state: ModelState, command: Command): boolean {
  const tx = 'by' in command ? state.transactions.get(command.by) : undefined;
  return verbOf(command.do).allows(tx, command, state);
}

function doneBy<C extends Extract<Command, { readonly by: unknown }>>(command: C, by: C['by']): C {
  return { ...command, by };
}
