import type { WakeUp } from './driver.js';

/** Whether a wake-up is for a worker that serves these queues. What concerns a running job is for every one. */
export function concerns({ queue, told }: WakeUp, queues: readonly string[], workerId: string): boolean {
  return (queue === undefined || queues.includes(queue)) && !told?.includes(workerId);
}

/** A wake-up as it was sent. Anybody may send one: what is not understood is a hint to look. */
export function wakeUpOf(sent: unknown): WakeUp {
  const { queue, cancel, redrives, told } = Object(sent);
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(typeof cancel === 'string' && { cancel }),
    ...(typeof redrives === 'number' && { redrives }),
    ...(Array.isArray(told) && { told: told.filter((id: unknown) => typeof id === 'string') }),
  };
}
