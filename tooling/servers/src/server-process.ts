import { type ChildProcess, spawn } from 'node:child_process';
import type { ServerAccount } from './server-account.js';
import { type GuardOrders, startGuard } from './server-guard.js';

export interface ServerCommand {
  /** What the error messages call it. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly account: ServerAccount;
  readonly env: NodeJS.ProcessEnv;
  /** What the server writes to its log when it takes connections. */
  readonly readyText: string;
  readonly guard: GuardOrders;
  /** Receives the server's log, line by line. */
  readonly log: ((line: string) => void) | undefined;
}

export interface ServerProcess {
  /** Sends the signal and waits for the end. Does nothing when it has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a database server in a session of its own, with a guard, and waits until it takes connections.
 * @throws Error with the end of its log, when it ends before that
 */
export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  const server = spawn(command.program, command.args, {
    ...command.account,
    cwd: '/',
    env: command.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => {
    server.once('exit', () => resolve());
    server.once('error', () => resolve());
  });
  const guard = startGuard(server, command.guard);
  void exited.then(() => guard.dismiss());
  await readiness(server, command);
  // A server that is running does not by itself keep the caller's process alive.
  server.unref();
  (server.stderr as unknown as { unref(): void } | null)?.unref();
  return {
    async end(signal) {
      server.ref();
      if (server.exitCode === null && server.signalCode === null) server.kill(signal);
      await exited;
    },
  };
}

function readiness(server: ChildProcess, { name, readyText, log }: ServerCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    let ready = false;
    let rest = '';
    server.once('error', reject);
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const complete = (rest + text).split('\n');
      rest = complete.pop() ?? '';
      for (const line of complete) {
        log?.(line);
        if (ready) continue;
        lines.push(line);
        ready = line.includes(readyText);
        if (ready) resolve();
      }
    });
    server.once('close', () => reject(new Error(`${name} did not start:\n${lines.slice(-20).join('\n')}`)));
  });
}
