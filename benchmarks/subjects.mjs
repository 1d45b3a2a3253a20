import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('subject-process.mjs', import.meta.url));

/** How long a subject may take to end by itself before it is made to. */
const END_MS = 3_000;

/** How long a call may take: more than any measure does. */
const CALL_MS = 180_000;

/** A system in a process of its own. */
export class Subject {
  #child;
  #calls = new Map();
  #lastId = 0;
  #callMs;

  /**
   * @param {string} module from this folder
   * @param callMs How long a call may take
   */
  static async start(module, callMs = CALL_MS) {
    const subject = new Subject();
    subject.#callMs = callMs;
    const url = new URL(module, import.meta.url).href;
    const child = fork(PROGRAM, [url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    subject.#child = child;
    child.on('message', (message) => subject.#onAnswer(message));
    child.on('exit', (code, signal) => subject.#onExit(code ?? signal));
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error(`${module} did not start.`)));
    });
    return subject;
  }

  get pid() {
    return this.#child.pid;
  }

  get isAlive() {
    return this.#child.connected;
  }

  /** Has it do something, and returns what it answers. A process that does not answer in time is killed. */
  call(verb, given) {
    const id = ++this.#lastId;
    const timer = setTimeout(() => {
      this.#onAnswer({ id, error: `${verb} did not end within ${this.#callMs / 1000} s.` });
      this.#child.kill('SIGKILL');
    }, this.#callMs);
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, timer });
      this.#child.send({ id, verb, given }, (error) => {
        if (error) this.#onAnswer({ id, error: error.message });
      });
    });
  }

  async end() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }

  #onAnswer({ id, result, error }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(call?.timer);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  }

  #onExit(how) {
    for (const { reject, timer } of this.#calls.values()) {
      clearTimeout(timer);
      reject(new Error(`The process ended (${how}).`));
    }
    this.#calls.clear();
  }
}
