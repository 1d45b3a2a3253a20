import { setTimeout as sleep } from 'node:timers/promises';
import { again, pause } from '../again.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import type { Plain } from '../system.js';

/** How long a stranger keeps all connections, in milliseconds. */
const KEPT_MS = 3_000;

const MOST = 150;

/** How long the server may take to notice that those connections have ended, in milliseconds. A net. */
const FREED_MS = 10_000;

/** A stranger takes every connection that the server has left, and those that it ends of the workers'. */
export const exhaustConnections: Fault = {
  name: 'no connections',
  needs: [],
  at: 'server',
  seconds: 20,
  async begin(stage, random) {
    const { system, crew, url } = stage;
    const end = again(
      () => random.whole(2_000, 3_000),
      async (over) => {
        const taken: Plain<unknown>[] = [];
        const takeAll = async (): Promise<void> => {
          while (taken.length < MOST && !over.aborted) {
            const plain = await system.connect(url()).catch(() => null);
            if (plain === null) return;
            taken.push(plain);
          }
        };
        const ending = await system.connect(url()).catch(() => null);
        if (ending === null) return;
        await takeAll();
        const relieve = crew.impair('*', 'sessions are ended');
        const strangers = new Set<number>();
        for (const plain of taken) strangers.add(await plain.session());
        await system
          .endSessions(ending, (session) => !strangers.has(session) && random.chance(0.4))
          .catch(() => {});
        relieve();
        const until = performance.now() + KEPT_MS;
        while (performance.now() < until && !over.aborted) {
          await takeAll();
          await pause(20, over);
        }
        await Promise.all([ending, ...taken].map((plain) => plain.end()));
      },
    );
    return async () => {
      await end();
      await freed(stage);
    };
  },
};

/** Resolves when the server takes a connection again: what strikes next needs one. */
async function freed<Tx>({ system, url }: Stage<Tx>): Promise<void> {
  const until = performance.now() + FREED_MS;
  for (;;) {
    try {
      return await (await system.connect(url())).end();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(20);
    }
  }
}
