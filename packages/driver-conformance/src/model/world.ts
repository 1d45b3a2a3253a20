import { isDriverError } from '@rowlock/core';
import { within } from '../until.js';
import type { Command } from './command.js';
import { claim, firstOutstanding, lockSiblings } from './performed/claim.js';
import { crash, stop } from './performed/crash.js';
import { end, enqueue } from './performed/enqueue.js';
import { lease, lockLeased } from './performed/lease.js';
import { makeDue, move } from './performed/move.js';
import { endCrashed, noteRun, release, renew, startRuns, undo, write } from './performed/run.js';
import type { Setting } from './performed/setting.js';
import { finish, settle } from './performed/settle.js';
import { WorldState } from './performed/state.js';
import { reclaim, survey } from './performed/sweep.js';
import { tables } from './performed/tables.js';
import { count, list, workers } from './performed/views.js';
import type { Result } from './result.js';

/** A net for a command that waits for somebody, in milliseconds. */
const COMMAND_MS = 20_000;

/** Does one sequence of commands with a real driver. What it answers has the names that the model has for it. */
export class World<Tx> {
  readonly #state: WorldState<Tx>;

  constructor(setting: Setting<Tx>) {
    this.#state = new WorldState(setting);
  }

  /** What came of it; a refusal by its code. */
  async perform(command: Command): Promise<Result> {
    try {
      return await within(`the end of ${JSON.stringify(command)}`, this.#do(command), COMMAND_MS);
    } catch (error) {
      if (!isDriverError(error)) throw error;
      if (command.do === 'lockSiblings') await this.#state.lastOf(command.by).held.rollback();
      return { refused: error.code };
    }
  }

  /** Gives up what is open. */
  end(): Promise<void> {
    return this.#state.end();
  }

  /** Leaves nothing behind. */
  close(): Promise<void> {
    return this.#state.close();
  }

  async #do(command: Command): Promise<Result> {
    const state = this.#state;
    switch (command.do) {
      case 'enqueue':
        return enqueue(state, command);
      case 'end':
        return end(state, command);
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
        return state.lastOf(command.by).held[command.do]();
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
        return workers(state, command);
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
}
