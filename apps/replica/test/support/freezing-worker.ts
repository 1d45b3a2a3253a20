import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@rowlock/app-shared/testing';

const ENTRY = fileURLToPath(new URL('./freezing-worker.mjs', import.meta.url));

/** A worker that freezes once, after it has read a row and before it writes it. */
export interface FreezingWorker {
  /** Resolves when it has read the row. */
  hasRead(): Promise<void>;
  goOn(): void;
  /** Whether it could write the row. */
  wrote(): Promise<unknown>;
  kill(): Promise<void>;
}

export function startFreezingWorker(env: NodeJS.ProcessEnv): FreezingWorker {
  const child = fork(ENTRY, {
    env: { ...process.env, ...env, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const told = new Map<string, unknown>();
  child.on('message', (message) => {
    for (const [name, value] of Object.entries(message)) told.set(name, value);
  });
  const hears = (name: string) => eventually(async () => told.has(name));
  return {
    hasRead: async () => {
      await hears('read');
    },
    goOn: () => void child.kill('SIGCONT'),
    wrote: async () => {
      await hears('wrote');
      return told.get('wrote');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
