import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { shortLog } from './short-log.js';

export interface PartOptions {
  readonly name: string;
  /** What it runs. */
  readonly entry: URL;
  readonly env: NodeJS.ProcessEnv;
  /** It ended after it was ready, without having been told to. */
  readonly onDeath: (how: string) => void;
}

/** One process of the demo. It ends when told to, and by itself when the demo's own process is gone. */
export class Part {
  readonly name: string;
  readonly #child: ChildProcess;
  /** How it ended. */
  readonly #ended: Promise<string>;
  #isReady = false;
  #stopping = false;

  constructor({ name, entry, env, onDeath }: PartOptions) {
    this.name = name;
    this.#child = fork(fileURLToPath(entry), {
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // In a group of its own: Ctrl-C reaches only the demo, which stops its parts one after the other.
      detached: process.platform !== 'win32',
    });
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      const how = signal === null ? `exit code ${code}` : String(signal);
      if (this.#isReady && !this.#stopping) onDeath(how);
      return how;
    });
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const text = shortLog(line);
        if (text !== undefined) console.log(text);
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it says that it works; rejects when it ends instead. */
  async ready(): Promise<void> {
    const said = once(this.#child, 'message');
    await Promise.race([
      said,
      this.#ended.then((how) => Promise.reject(new Error(`${this.name} did not start (${how}).`))),
    ]);
    this.#isReady = true;
  }

  /** Lets it finish what it has begun, for so long. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#child.connected) this.#child.disconnect();
    const cut = setTimeout(() => this.kill(), graceMs);
    await this.#ended;
    clearTimeout(cut);
  }

  kill(): void {
    this.#stopping = true;
    this.#child.kill('SIGKILL');
  }
}
