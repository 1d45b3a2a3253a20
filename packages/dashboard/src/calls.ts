import type { Rowlock } from '@rowlock/core';

/** The calls of a Rowlock that a dashboard makes. */
export type Calls = Pick<
  Rowlock<unknown>,
  'as' | 'find' | 'handlers' | 'jobs' | 'schedules' | 'limits' | 'captures' | 'insight'
>;
