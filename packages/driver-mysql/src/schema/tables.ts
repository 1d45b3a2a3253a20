import { identifier } from '../identifier.js';

/** The names of the tables and procedures, quoted. */
export interface Tables {
  readonly job: string;
  readonly run: string;
  readonly openRun: string;
  readonly worker: string;
  readonly slot: string;
  readonly setting: string;
  readonly pause: string;
  readonly rate: string;
  readonly schedule: string;
  readonly follower: string;
  readonly expiry: string;
  readonly tally: string;
  readonly audit: string;
  readonly captureLoss: string;
  readonly captureBackfill: string;
  readonly bell: string;
  readonly migration: string;
  readonly enterLimit: string;
  readonly widenLimit: string;
  readonly pruneSlots: string;
  readonly limitedParts: string;
  readonly takenSlots: string;
  readonly takeStarts: string;
}

export function tables(schema: string): Tables {
  const named = (name: string): string => `${identifier(schema)}.rowlock_${name}`;
  return {
    job: named('job'),
    run: named('run'),
    openRun: named('open_run'),
    worker: named('worker'),
    slot: named('limit_slot'),
    setting: named('limit_setting'),
    pause: named('pause'),
    rate: named('rate'),
    schedule: named('schedule'),
    follower: named('follower'),
    expiry: named('expiry'),
    tally: named('tally'),
    audit: named('audit'),
    captureLoss: named('capture_loss'),
    captureBackfill: named('capture_backfill'),
    bell: named('bell'),
    migration: named('migration'),
    enterLimit: named('enter_limit'),
    widenLimit: named('widen_limit'),
    pruneSlots: named('prune_slots'),
    limitedParts: named('limited_parts'),
    takenSlots: named('taken_slots'),
    takeStarts: named('take_starts'),
  };
}
