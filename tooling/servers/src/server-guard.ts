import { type ChildProcess, spawn } from 'node:child_process';

export interface GuardOrders {
  /** What stops the server. */
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** What is deleted after that: the data of a server that is not persistent. */
  readonly deleteFolder: string | undefined;
}

/**
 * Stops the server when this process ends without having done so. The guard's standard input is a pipe from here, which
 * the system closes in every case; a line on it means that the server has ended already.
 */
export function startGuard(server: ChildProcess, orders: GuardOrders): { dismiss(): void } {
  // Without /bin/sh the next start on the same folder stops the server (`clearStaleServer`).
  if (process.platform === 'win32' || server.pid === undefined) return { dismiss() {} };
  const signal = orders.signal.replace('SIG', '');
  const folder = orders.deleteFolder ?? '';
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'rowlock-server-guard', String(server.pid), signal, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return {
    dismiss() {
      guard.stdin.end('ended\n');
    },
  };
}

const SCRIPT = `read -r line || {
  kill -s "$2" "$1"
  [ -n "$3" ] || exit
  for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 "$1" || break
    sleep 0.1
  done
  rm -rf -- "$3"
}`;
