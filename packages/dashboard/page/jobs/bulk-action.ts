import type { Stored } from '@rowlock/core';
import type { Permission } from '../../src/permission.js';
import type { JobRow } from '../../src/views.js';

/** What may be done to many jobs. */
export interface BulkAction {
  readonly permission: Permission;
  /** The states from which it may be done. */
  readonly from: readonly string[];
  /** Whether it means anything to a job in such a state. Default: to each. */
  readonly isMeant?: (job: Stored<JobRow>) => boolean;
  readonly path: string;
  readonly name: string;
  /** What is done in the end. */
  readonly done: string;
  readonly hint: string;
  /** Whether the name of a queue is typed, to which the jobs go. */
  readonly asksQueue?: true;
  /** Whether something is lost by it. */
  readonly isDestructive: boolean;
}

export const REDRIVE: BulkAction = {
  permission: 'redrive',
  from: ['error', 'cancelled'],
  path: 'jobs/redrive',
  name: 'Redrive',
  done: 'redriven',
  hint: 'They get all their attempts again. Without a state of the filter, those that ended as error are meant.',
  isDestructive: false,
};

export const DELETE: BulkAction = {
  permission: 'delete',
  from: ['complete', 'error', 'cancelled'],
  path: 'jobs/delete',
  name: 'Delete',
  done: 'deleted',
  hint: 'Ended jobs are deleted with the records of their runs. There is no way back.',
  isDestructive: true,
};

export const ACTIONS: readonly BulkAction[] = [
  {
    permission: 'update',
    from: ['new'],
    isMeant: ({ availableAt }) => Date.parse(availableAt) > Date.now(),
    path: 'jobs/run',
    name: 'Run now',
    done: 'made due',
    hint: 'Jobs that are due later are due at once. Those that wait for other jobs still wait for them.',
    isDestructive: false,
  },
  {
    permission: 'update',
    from: ['new'],
    path: 'jobs/move',
    name: 'Move',
    done: 'moved',
    hint: 'Waiting jobs go to another queue. In two queues, jobs of one key do not exclude each other.',
    asksQueue: true,
    isDestructive: false,
  },
  {
    permission: 'cancel',
    from: ['new', 'in-progress'],
    path: 'jobs/cancel',
    name: 'Cancel',
    done: 'cancelled',
    hint: 'Waiting jobs end at once. Running ones get a cancellation.',
    isDestructive: true,
  },
  REDRIVE,
  DELETE,
];
