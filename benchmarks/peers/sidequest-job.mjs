import { Job } from 'sidequest';

/** In the process that enqueues, where Sidequest runs jobs if it is told to. It imports this file by itself, and under a test as another module. */
globalThis.sidequestListener ??= { onRun: () => {} };
export const listener = globalThis.sidequestListener;

/** Sidequest finds the file of a job's class by itself. */
export class Noop extends Job {
  run(place) {
    return listener.onRun(place);
  }
}
