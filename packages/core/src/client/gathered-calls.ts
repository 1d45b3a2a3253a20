import type { Clock } from '../clock.js';
import { mayBeOfOne, partsOf } from '../driver/apart.js';
import { isDriverError } from '../driver/driver-error.js';
import { HANGS_MS } from '../hangs.js';

/**
 * How many statements are on their way at once. Jobs a second, with 50 calls of `enqueue` at once:
 *
 * | Statements | Postgres | MySQL |
 * |---|---|---|
 * | one for each call | 5,600 | 4,800 |
 * | 1 | 30,000 | 17,000 |
 * | 2 | 35,000 | 18,000 |
 * | 4 | 27,000 | 14,000 |
 */
const AT_ONCE = 2;

/** @param isShared Whether the inputs are of several calls. A refusal is then followed by statements with fewer calls. */
export type Send<Input, Output> = (inputs: readonly Input[], isShared: boolean) => Promise<readonly Output[]>;

interface Call<Input, Output> {
  readonly inputs: readonly Input[];
  readonly resolve: (outputs: readonly Output[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers calls of many callers. While statements are on their way, new calls are gathered into the next one, to share
 * its round trip, its commit and its flush. A single call does not wait. Each call is all or nothing, and ends as if it
 * had its own statement: an error of one call is not another's.
 */
export class GatheredCalls<Input, Output> {
  readonly #write: Send<Input, Output>;
  readonly #most: number;
  readonly #clock: Clock;
  readonly #waiting: Call<Input, Output>[] = [];
  readonly #sent = new Set<Promise<void>>();
  /** The statements that are sent, without those that hang. */
  #underWay = 0;

  /**
   * @param send Sends a statement. Resolves with an output for each input, in the same order.
   * @param most The most inputs of one statement that several calls share.
   */
  constructor(send: Send<Input, Output>, most: number, clock: Clock) {
    this.#write = send;
    this.#most = most;
    this.#clock = clock;
  }

  /** @throws DriverError */
  call(inputs: readonly Input[]): Promise<readonly Output[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ inputs, resolve, reject });
      this.#next();
    });
  }

  /** Resolves when all calls so far are over. */
  async flush(): Promise<void> {
    while (this.#sent.size > 0) await Promise.all(this.#sent);
  }

  #next(): void {
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) this.#begin(this.#take());
  }

  #begin(calls: readonly Call<Input, Output>[]): void {
    this.#underWay += 1;
    let isInTheWay = true;
    const makeWay = (): void => {
      if (!isInTheWay) return;
      isInTheWay = false;
      this.#underWay -= 1;
      this.#next();
    };
    const stopTimer = this.#clock.after(HANGS_MS.statement, makeWay);
    const sending = this.#send(calls).then(() => {
      stopTimer();
      this.#sent.delete(sending);
      makeWay();
    });
    this.#sent.add(sending);
  }

  #take(): readonly Call<Input, Output>[] {
    let inputs = 0;
    const calls = this.#waiting.findIndex((call) => {
      inputs += call.inputs.length;
      return inputs > this.#most;
    });
    return this.#waiting.splice(0, calls === -1 ? this.#waiting.length : Math.max(1, calls));
  }

  /** Never rejects. */
  async #send(calls: readonly Call<Input, Output>[]): Promise<void> {
    const isShared = calls.length > 1;
    try {
      const outputs = await this.#write(
        calls.flatMap(({ inputs }) => inputs),
        isShared,
      );
      let place = 0;
      for (const { inputs, resolve } of calls) {
        resolve(outputs.slice(place, place + inputs.length));
        place += inputs.length;
      }
    } catch (error) {
      if (isShared && isDriverError(error) && mayBeOfOne(error))
        await Promise.all(partsOf(calls).map((part) => this.#send(part)));
      else for (const call of calls) call.reject(error);
    }
  }
}
