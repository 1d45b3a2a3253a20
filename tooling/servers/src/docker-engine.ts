import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PROBE_MS = 2_000;

/** Whether a Docker engine answers within two seconds, at one of the places where testcontainers looks for one. */
export async function dockerEngineAnswers(): Promise<boolean> {
  const answers = await Promise.all(enginePlaces().map(ping));
  return answers.includes(true);
}

type Place = { socketPath: string } | { host: string; port: number };

function enginePlaces(): Place[] {
  const configured = process.env.DOCKER_HOST;
  if (configured) {
    const url = new URL(configured);
    if (url.protocol === 'unix:') return [{ socketPath: url.pathname }];
    return [{ host: url.hostname, port: Number(url.port) || 2375 }];
  }
  const runtime = process.env.XDG_RUNTIME_DIR;
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
    ...(runtime ? [join(runtime, 'docker.sock')] : []),
  ];
  return sockets.filter((socket) => existsSync(socket)).map((socketPath) => ({ socketPath }));
}

function ping(place: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ ...place, path: '/_ping', timeout: PROBE_MS }, (response) => {
      response.resume();
      // An engine that wants TLS answers 400 to plain HTTP: it is there all the same.
      resolve(response.statusCode !== undefined);
    });
    call.once('timeout', () => call.destroy());
    call.once('error', () => resolve(false));
    call.once('close', () => resolve(false));
    call.end();
  });
}
