import { identifier } from '../identifier.js';

/** The names of the tables, quoted. */
export interface Tables {
  readonly job: string;
  readonly run: string;
  readonly openRun: string;
  readonly worker: string;
  readonly bell: string;
  readonly limitSlot: string;
  readonly limitMark: string;
  readonly limitSetting: string;
  readonly pause: string;
  readonly rate: string;
  readonly schedule: string;
  readonly follower: string;
  readonly expiry: string;
  readonly tally: string;
  readonly audit: string;
  readonly captureLoss: string;
  readonly captureBackfill: string;
  readonly migration: string;
}

export function tables(schema: string): Tables {
  const named = (name: string): string => `${identifier(schema)}.${name}`;
  return {
    job: named('job'),
    run: named('run'),
    openRun: named('open_run'),
    worker: named('worker'),
    bell: named('bell'),
    limitSlot: named('limit_slot'),
    limitMark: named('limit_mark'),
    limitSetting: named('limit_setting'),
    pause: named('pause'),
    rate: named('rate'),
    schedule: named('schedule'),
    follower: named('follower'),
    expiry: named('expiry'),
    tally: named('tally'),
    audit: named('audit'),
    captureLoss: named('capture_loss'),
    captureBackfill: named('capture_backfill'),
    migration: named('rowlock_migration'),
  };
}

/** The names of the functions, quoted. */
export interface Functions {
  readonly enterLimits: string;
  /** Called by `enter_limits`, with the rights of its caller. */
  readonly takeSlotAlone: string;
  readonly pruneSlots: string;
  readonly limitGate: string;
}

export function functions(schema: string): Functions {
  const named = (name: string): string => `${identifier(schema)}.${name}`;
  return {
    enterLimits: named('enter_limits'),
    takeSlotAlone: named('take_slot_alone'),
    limitGate: named('limit_gate'),
    pruneSlots: named('prune_slots'),
  };
}
