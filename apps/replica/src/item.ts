import { defineCapture } from '@rowlock/core';

/** A row of the table. */
export interface Item {
  readonly id: number;
  readonly name: string;
  /** As text, so that no digit is lost. */
  readonly price: string;
  readonly note: string | null;
}

/** Each changed row is a job of its id. The other database may be away for long, so a job has many attempts. */
export const items = defineCapture({
  name: 'item',
  table: 'item',
  id: ['id'],
  kind: 'item.changed',
  attempts: 1000,
  bulk: false,
});
