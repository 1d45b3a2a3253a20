import type { Command, CommandOf } from './command.js';
import * as predicted from './predicted/all.js';
import { possible } from './predicted/possible.js';
import { ModelState } from './predicted/state.js';
import type { Result } from './result.js';

type Predict<Do extends Command['do']> = (state: ModelState, command: CommandOf<Do>) => Result;

const PREDICTED: { readonly [Do in Command['do']]: Predict<Do> } = predicted;

/** What a driver does, without a database: small enough to be seen to be right. Nobody waits in it. */
export class Model {
  readonly #state = new ModelState();

  /** The command as it can be done now, if it can. */
  find(drawn: Command): Command | undefined {
    return possible(drawn, this.#state);
  }

  /** Does it, and says what a driver has to answer. */
  apply(command: Command): Result {
    return predictionOf(command.do)(this.#state, command);
  }

  /** Everybody who has a transaction open gives it up. */
  end(): void {
    for (const who of [...this.#state.transactions.keys()]) this.#state.end(who, 'rollback');
  }
}

function predictionOf<Do extends Command['do']>(name: Do): Predict<Do> {
  return PREDICTED[name];
}
