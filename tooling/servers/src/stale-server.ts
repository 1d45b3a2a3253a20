import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningProcess } from './running-process.js';

/** How a server is known by what it leaves in its data folder and shows on its command line. */
export interface ServerTraces {
  readonly name: string;
  readonly dataDir: string;
  readonly pidFile: string;
  /** Whether that is the command line of a server on this data folder. */
  isServer(command: string): boolean;
  /** Finds the id of the process that started it on the command line, as its first group. */
  readonly starter: RegExp;
  /** The polite way to stop it, then the rude one. */
  readonly signals: readonly [NodeJS.Signals, NodeJS.Signals];
}

/**
 * Makes the data folder free to start on, after whatever happened to its last server.
 *
 * - A server still runs there and the process that started it lives: refused, the folder is in use.
 * - A server still runs there and its starter is gone (killed together with its guard): it is stopped.
 * - The pid file names a process that is something else by now: the file is removed, because Postgres would
 *   take any process of its own account for a running server.
 * - It names nothing that lives: left to the server, which also checks for processes that outlived the main one.
 */
export async function clearStaleServer(traces: ServerTraces): Promise<void> {
  const { name, dataDir, pidFile } = traces;
  const pid = firstNumber(pidFile);
  if (pid === undefined) return;
  const server = runningProcess(pid);
  if (!server) return;
  if (!traces.isServer(server.command)) return rmSync(pidFile, { force: true });

  const starter = Number(traces.starter.exec(server.command)?.[1]);
  if (starter === server.parent && runningProcess(starter)) {
    throw new Error(
      `Process ${starter} already runs a ${name} on ${dataDir} (process ${pid}). Stop it, or use another data folder.`,
    );
  }
  for (const signal of traces.signals) {
    process.kill(pid, signal);
    if (await ended(pid, 10_000)) return;
  }
  throw new Error(
    `The ${name} that an earlier run left on ${dataDir} (process ${pid}) does not stop. Stop it by hand.`,
  );
}

function firstNumber(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

async function ended(pid: number, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await sleep(50)) {
    if (!runningProcess(pid)) return true;
  }
  return false;
}
