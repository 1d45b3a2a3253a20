import { openSync, writeSync } from 'node:fs';

/**
 * Writes down what was offered, acknowledged, begun and ended, a line for each, with the time in milliseconds. The lines outlive the
 * process, however it ends. Without a file nothing is written.
 */
export class Ledger {
  #file;

  constructor(path) {
    this.#file = path === undefined ? null : openSync(path, 'a');
  }

  /** @param ids What the jobs of a call have in common, and the first and the number of them */
  offered(prefix, from, jobs) {
    this.#line(`o ${Date.now()} ${prefix} ${from} ${jobs}`);
  }

  acknowledged(prefix, from, jobs) {
    this.#line(`a ${Date.now()} ${prefix} ${from} ${jobs}`);
  }

  begun(id) {
    this.#line(`b ${Date.now()} ${id}`);
  }

  ended(id) {
    this.#line(`e ${Date.now()} ${id}`);
  }

  #line(text) {
    if (this.#file !== null) writeSync(this.#file, `${text}\n`);
  }
}
