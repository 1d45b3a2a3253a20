import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { onFreePort } from './free-port.js';
import { startServerProcess } from './server-process.js';

export interface EmbeddedRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The installed Redis on 127.0.0.1, which keeps nothing. It ends with this process, however that ends.
 * @returns null where there is none
 */
export async function startEmbeddedRedis(): Promise<EmbeddedRedis | null> {
  if (spawnSync('redis-server', ['--version']).error) return null;
  const { port, server } = await onFreePort(undefined, 'Address already in use', (onPort) =>
    startServerProcess({
      name: 'Redis',
      // Its log goes to the standard output, and is read where the others write theirs.
      program: '/bin/sh',
      args: [
        ...['-c', 'exec redis-server "$@" >&2', 'redis-server', '--port', String(onPort)],
        ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()],
      ],
      account: {},
      env: process.env,
      readyText: 'Ready to accept connections',
      guard: { signal: 'SIGTERM', deleteFolder: undefined },
      log: undefined,
    }),
  );
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.end('SIGTERM') };
}
