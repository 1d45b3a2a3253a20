import type { Rowlock } from '@rowlock/core';

/** The calls of a Rowlock that a dashboard makes. */
export type Calls = Pick<
  Rowlock<unknown>,
  | 'stats'
  | 'workers'
  | 'pauses'
  | 'picture'
  | 'pause'
  | 'resume'
  | 'list'
  | 'count'
  | 'find'
  | 'runs'
  | 'latestRuns'
  | 'trend'
  | 'explain'
  | 'cancel'
  | 'redrive'
  | 'update'
  | 'cancelMany'
  | 'redriveMany'
  | 'deleteMany'
  | 'schedules'
  | 'limits'
  | 'rates'
>;
