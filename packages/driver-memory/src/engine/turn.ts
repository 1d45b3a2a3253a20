/** Taken before a test can replace the timers: the database goes on while its callers' clocks are fake. */
const later = globalThis.setImmediate;

/** Stands for the way to the server: a statement runs in a later turn of the event loop, in the order of the calls. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}
