import type { Fault } from '../fault.js';

/** A foreign transaction keeps an old snapshot, and so everything that was deleted or changed since. */
export const oldSnapshot: Fault = {
  name: 'old snapshot',
  needs: [],
  at: 'server',
  seconds: 20,
  async begin({ system, url }) {
    const plain = await system.connect(url());
    for (const statement of system.oldSnapshot) await plain.ask(statement);
    return () => plain.end();
  },
};
