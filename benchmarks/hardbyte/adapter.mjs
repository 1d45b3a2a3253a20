import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('rowlock-bench/main.mjs', import.meta.url));
const START_MS = 60_000;
const STOP_MS = 8_000;
const TICK_MS = 25;
const MOST = 128;

/** The process of an adapter, which is offered jobs through its standard input as by the harness, and may be killed and started again. */
export class Adapter {
  /** What it has written to standard error, in lines. */
  logLines = 0;
  /** How often it ended without being told. */
  endings = 0;
  /** Jobs a second. */
  rate = 0;
  /** Its last value of each metric. */
  metrics = {};
  descriptor = null;
  #module;
  #env;
  #child = null;
  #isReady = false;
  #isWanted = false;
  #pacing;

  /** @param module The system's; null for Rowlock */
  constructor(module, env) {
    this.#module = module;
    this.#env = { ...process.env, ...env, PRODUCER_PACING: 'harness' };
  }

  get isAlive() {
    return this.#child !== null;
  }

  /** @throws Error when it does not come up in time */
  async start() {
    this.#isWanted = true;
    const args = this.#module === null ? [PROGRAM] : [PROGRAM, this.#module];
    const child = spawn(process.execPath, args, { env: this.#env, detached: true });
    this.#child = child;
    child.stdin.on('error', () => {});
    createInterface({ input: child.stderr }).on('line', () => (this.logLines += 1));
    const up = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => this.#onRecord(line, resolve));
      child.once('exit', (code, signal) => {
        if (this.#child === child) this.#onExit();
        reject(new Error(`It did not start (${code ?? signal}).`));
      });
    });
    this.#pace();
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    try {
      await up;
    } finally {
      clearTimeout(timer);
    }
  }

  /** At once, as by a power cut of its machine. */
  async kill() {
    this.#isWanted = false;
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop() {
    this.#isWanted = false;
    clearInterval(this.#pacing);
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  #onRecord(line, resolve) {
    // A library may write to standard output too.
    if (!line.startsWith('{"kind":"descriptor"') && !line.startsWith('{"t":')) return;
    const record = JSON.parse(line);
    if (record.kind === 'descriptor') {
      this.descriptor = record;
      this.#isReady = true;
      resolve();
    } else this.metrics[record.metric] = record.value;
  }

  #onExit() {
    this.#child = null;
    this.#isReady = false;
    if (this.#isWanted) this.endings += 1;
  }

  /** By the time that has passed. What comes while it is not there is offered to nobody. */
  #pace() {
    clearInterval(this.#pacing);
    let due = 0;
    let last = performance.now();
    this.#pacing = setInterval(() => {
      const now = performance.now();
      due = this.#isReady ? due + (this.rate * (now - last)) / 1000 : 0;
      last = now;
      for (; due >= 1; due -= Math.min(MOST, Math.floor(due)))
        this.#child?.stdin.write(`ENQUEUE ${Math.min(MOST, Math.floor(due))}\n`);
    }, TICK_MS);
  }
}
