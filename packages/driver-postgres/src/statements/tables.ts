import { identifier } from '../identifier.js';

/** The names of the tables, quoted. */
export interface Tables {
  readonly job: string;
  readonly run: string;
  readonly openRun: string;
  readonly worker: string;
  readonly bell: string;
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
    migration: named('rowlock_migration'),
  };
}
