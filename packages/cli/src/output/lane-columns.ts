import type { LaneStats } from '@rowlock/core/types';
import type { Column } from './table.js';
import { counted, lasting, number } from './values.js';

type Counts = Pick<LaneStats, 'due' | 'oldestDueMs' | 'delayed' | 'running'> & {
  readonly hour: Pick<LaneStats['hour'], 'completed' | 'failed'>;
};

/** The columns of numbers that a queue has, and each of its kinds. */
export const LANE_COLUMNS: readonly Column<Counts>[] = [
  { title: 'DUE', of: ({ due }) => counted(due), align: 'right' },
  { title: 'OLDEST', of: ({ oldestDueMs }) => lasting(oldestDueMs), align: 'right' },
  { title: 'DELAYED', of: ({ delayed }) => counted(delayed), align: 'right' },
  { title: 'RUNNING', of: ({ running }) => number(running), align: 'right' },
  { title: 'DONE/H', of: ({ hour }) => number(hour.completed), align: 'right' },
  { title: 'FAILED/H', of: ({ hour }) => number(hour.failed), align: 'right' },
];
