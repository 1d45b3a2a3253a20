import type { Command } from './command.js';
import { claim, firstOutstanding, lockSiblings } from './predicted/claim.js';
import { crash, stop } from './predicted/crash.js';
import { enqueue } from './predicted/enqueue.js';
import { lease, lockLeased } from './predicted/lease.js';
import { makeDue, move } from './predicted/move.js';
import { possible } from './predicted/possible.js';
import { endCrashed, noteRun, release, renew, startRuns, undo, write } from './predicted/run.js';
import { finish, settle } from './predicted/settle.js';
import { ModelState } from './predicted/state.js';
import { reclaim, survey } from './predicted/sweep.js';
import { tables } from './predicted/tables.js';
import { count, list, workers } from './predicted/views.js';
import type { Result } from './result.js';

/** What a driver does, without a database: small enough to be seen to be right. Nobody waits in it. */
export class Model {
  readonly #state = new ModelState();

  /** The command as it can be done now, if it can. */
  find(drawn: Command): Command | undefined {
    return possible(drawn, this.#state);
  }

  /** Does it, and says what a driver has to answer. */
  apply(command: Command): Result {
    const state = this.#state;
    switch (command.do) {
      case 'enqueue':
        return enqueue(state, command);
      case 'end':
        return state.end(command.by, command.how);
      case 'claim':
        return claim(state, command);
      case 'lockSiblings':
        return lockSiblings(state, command);
      case 'firstOutstanding':
        return firstOutstanding(state, command);
      case 'startRuns':
        return startRuns(state, command);
      case 'endCrashed':
        return endCrashed(state, command);
      case 'noteRun':
        return noteRun(state, command);
      case 'write':
        return write(state, command);
      case 'undo':
        return undo(state, command);
      case 'renew':
        return renew(state, command);
      case 'settle':
        return settle(state, command);
      case 'finish':
        return finish(state, command);
      case 'release':
        return release(state, command);
      case 'commit':
      case 'rollback':
        return state.end(command.by, command.do);
      case 'lease':
        return lease(state, command);
      case 'lockLeased':
        return lockLeased(state, command);
      case 'reclaim':
        return reclaim(state, command);
      case 'survey':
        return survey(state, command);
      case 'move':
        return move(state, command);
      case 'list':
        return list(state, command);
      case 'count':
        return count(state, command);
      case 'workers':
        return workers(state);
      case 'makeDue':
        return makeDue(state, command);
      case 'look':
        return tables(state);
      case 'crash':
        return crash(state, command);
      case 'stop':
        return stop(state, command);
    }
  }

  /** What the tables hold for everybody to see. */
  tables(): Result {
    return tables(this.#state);
  }

  /** Everybody who has a transaction open gives it up. */
  end(): void {
    for (const who of [...this.#state.transactions.keys()]) this.#state.end(who, 'rollback');
  }
}
