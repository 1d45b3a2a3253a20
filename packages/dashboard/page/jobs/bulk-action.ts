import type { Permission } from '../../src/permission.js';

/** What may be done to many jobs. */
export interface BulkAction {
  readonly permission: Permission;
  /** The states from which it may be done. */
  readonly from: readonly string[];
  readonly path: string;
  readonly name: string;
  /** What is done in the end. */
  readonly done: string;
  readonly hint: string;
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
