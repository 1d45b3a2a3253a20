import { again, pause } from '../again.js';
import type { Fault } from '../fault.js';

/** Longer than everything that bounds a claim: the handler's timeout, its grace, and what its transaction may idle beyond them. */
const STOPPED_MS = 20_000;

/** SIGSTOP of a worker of each mode for longer than every limit, then SIGCONT. */
export const stopWorker: Fault = {
  name: 'SIGSTOP',
  needs: [],
  at: 'workers',
  seconds: 24,
  async begin({ crew, modes }, random) {
    return again(
      () => random.whole(4_000, 6_000),
      async (over) => {
        const victims = modes.map((mode) => random.pick(crew.of(mode)));
        const relieve = victims.map(({ name }) => crew.impair(name, 'stopped'));
        for (const { process } of victims) process.kill('SIGSTOP');
        await pause(STOPPED_MS, over);
        for (const { process } of victims) process.kill('SIGCONT');
        for (const each of relieve) each();
      },
    );
  },
};
