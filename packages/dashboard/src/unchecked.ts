import type { Enqueueable } from '@rowlock/core';

/** Accepts each payload, where no handler is there to check it. */
export const UNCHECKED = {
  payload: {
    '~standard': { version: 1, vendor: 'rowlock', validate: (value: unknown) => ({ value }) },
  },
} as const satisfies Pick<Enqueueable, 'payload'>;
