import { isDriverError } from '@rowlock/core';
import { within } from '../until.js';
import type { Command, CommandOf } from './command.js';
import * as performed from './performed/all.js';
import type { Setting } from './performed/setting.js';
import { WorldState } from './performed/state.js';
import type { Result } from './result.js';

type Perform<Do extends Command['do']> = <Tx>(
  state: WorldState<Tx>,
  command: CommandOf<Do>,
) => Promise<Result>;

const PERFORMED: { readonly [Do in Command['do']]: Perform<Do> } = performed;

/** A net for a command that waits for somebody, in milliseconds. */
const COMMAND_MS = 20_000;

/** Does one sequence of commands with a real driver. What it answers has the names that the model has for it. */
export class World<Tx> {
  readonly #state: WorldState<Tx>;
  /** The message of the newest refusal, for reports. */
  refusal = '';

  constructor(setting: Setting<Tx>) {
    this.#state = new WorldState(setting);
  }

  /** What came of it; a refusal by its code. */
  async perform(command: Command): Promise<Result> {
    try {
      const done = performanceOf(command.do)(this.#state, command);
      return await within(`the end of ${JSON.stringify(command)}`, done, COMMAND_MS);
    } catch (error) {
      if (!isDriverError(error)) throw error;
      this.refusal = error.message;
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
}

function performanceOf<Do extends Command['do']>(name: Do): Perform<Do> {
  return PERFORMED[name];
}
