import { ClaimLostError, defineHandler, type RunContext } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import { AnyJson } from '../worker-process.js';
import type { Actor } from './actor.js';
import type { ScenarioKind } from './scenario.js';
import { EFFECTS } from './scene.js';
import { apartFrom, limitOf, type Surroundings } from './surroundings.js';
import { LATER } from './time.js';

/** A handler whose runs are seen, and which writes one row for each of its jobs when its turn has come. */
export function witnessedHandler<Tx>(
  {
    kind,
    group = false,
    after = [],
    claim = 'hold',
    throwsFirst = false,
    apart = false,
    limit,
  }: ScenarioKind,
  actor: Actor,
  { database, queue, witness }: Surroundings<Tx>,
): AnyHandler<Tx> {
  return defineHandler({
    kind,
    queue: apart ? apartFrom(queue) : queue,
    payload: AnyJson,
    group,
    after,
    claim,
    ...(limit !== undefined && limitOf(queue, limit)),
    timeout: '24h',
    retry: { base: LATER, cap: LATER },
    run: async ({ tx, job, jobs, key, runId, signal }: RunContext<unknown, Tx>) => {
      const own = jobs.map(({ publicId }) => publicId);
      const run = {
        actor: actor.letter,
        runId,
        queue: apart ? apartFrom(queue) : queue,
        key,
        jobs: own,
        leased: claim === 'lease',
      };
      witness.begins(run, signal.reason instanceof ClaimLostError);
      witness.mustFollow(run, after);
      await actor.step('write', async () => {
        if (signal.aborted) throw signal.reason;
        for (const publicId of own) await database.run(tx, `INSERT INTO ${EFFECTS} VALUES ('${publicId}')`);
        if (throwsFirst && job.attempt === 1) throw new Error('The first attempt fails.');
      });
    },
  });
}
