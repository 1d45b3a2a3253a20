import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A worker as it runs in production: a process of the operating system. */
export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL, and gone. */
  kill(): Promise<void>;
  /** SIGTERM: resolves with the exit code when it has finished what it had begun. */
  stop(): Promise<number | null>;
}

/** @param entry The built worker, `dist/worker.js`. */
export async function startWorkerProcess(entry: URL, env: NodeJS.ProcessEnv): Promise<WorkerProcess> {
  const file = fileURLToPath(entry);
  if (!existsSync(file)) throw new Error(`${file} is not there: run "pnpm build" before these tests.`);
  const child = fork(file, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const ready = once(child, 'message');
  await Promise.race([
    ready,
    ended.then(([code]) => Promise.reject(new Error(`The worker ended with ${code}.`))),
  ]);
  return {
    pid: child.pid ?? 0,
    kill: () => end(child, ended, 'SIGKILL').then(() => {}),
    stop: () => end(child, ended, 'SIGTERM'),
  };
}

async function end(
  child: ChildProcess,
  ended: Promise<unknown>,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
