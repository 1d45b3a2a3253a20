/** What a person may do. `read` is needed for everything. */
export const PERMISSIONS = [
  'read',
  'cancel',
  'redrive',
  'delete',
  'update',
  'pause',
  'limits',
  'schedules',
  'errors',
  'enqueue',
] as const;

export type Permission = (typeof PERMISSIONS)[number];
