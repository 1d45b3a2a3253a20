import type { Uses } from '../driver/driver.js';
import type { PauseView } from '../driver/pause.js';
import type { Lanes } from '../driver/survey.js';
import type { Part, PartContext } from '../worker/part.js';

export interface PausedWorkParts extends Pick<PartContext, 'queues' | 'kinds' | 'worker' | 'log'> {
  readonly driver: Uses<{ admission: 'pauses' }>;
}

/** Logs the pauses of a worker's queues and kinds, when it starts: a worker that finds no work may look broken. */
export function pausedWork({ driver, worker, log, ...lanes }: PausedWorkParts): Part {
  return {
    async start() {
      try {
        const pauses = (await driver.admission.pauses()).filter((pause) => concerns(pause, lanes));
        if (pauses.length > 0)
          log.info({ worker, pauses: pauses.map(entryOf) }, 'work of this worker is paused');
      } catch (error) {
        log.debug({ err: error, worker }, 'the pauses could not be read');
      }
    },
  };
}

function concerns({ scope, name }: PauseView, { queues, kinds }: Lanes): boolean {
  if (scope === 'queue') return queues.includes(name);
  if (scope === 'kind') return kinds.includes(name);
  return scope === 'all';
}

function entryOf({ scope, name, by, until, reason }: PauseView): object {
  return { [scope]: name || true, by, until: until?.toISOString() ?? null, reason };
}
