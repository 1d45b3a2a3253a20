import { ACTORS, type Actor, CALLERS, type Caller, type Command, isCaller } from '../command.js';
import { allows } from './allows.js';
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

function numbered(drawn: Command, state: ModelState): Command {
  const jobs = Math.max(1, state.jobs.length);
  switch (drawn.do) {
    case 'claim':
      return { ...drawn, beyond: drawn.beyond && drawn.beyond % jobs };
    case 'finish': {
      const { stranger, next } = drawn;
      return {
        ...drawn,
        stranger: stranger && stranger % jobs,
        next: next && { ...next, beyond: next.beyond && next.beyond % jobs },
      };
    }
    case 'settle':
      return { ...drawn, stranger: drawn.stranger && drawn.stranger % jobs };
    case 'firstOutstanding':
      return { ...drawn, before: drawn.before % jobs };
    case 'move':
    case 'makeDue':
      return { ...drawn, job: drawn.job % jobs };
    case 'noteRun':
      return { ...drawn, run: drawn.run % Math.max(1, state.runs) };
    case 'lockLeased':
      return { ...drawn, lease: drawn.lease % Math.max(1, state.leases.length) };
    default:
      return drawn;
  }
}

function doneBy<C extends Extract<Command, { readonly by: unknown }>>(command: C, by: C['by']): C {
  return { ...command, by };
}
