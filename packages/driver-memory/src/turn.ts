/** Taken before a test can replace the timers: a database goes on while its callers' clocks are fake. */
const later = globalThis.setImmediate;

/** The way to the server: a statement runs in a later turn of the event loop, in the order of the calls. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}
