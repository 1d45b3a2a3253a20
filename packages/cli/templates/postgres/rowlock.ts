import { createRowlock } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { Welcome } from './welcome.ts';

/** The server of compose.yaml. */
const LOCAL = 'postgres://postgres:rowlock@127.0.0.1:5432/postgres';

export const rowlock = createRowlock({
  driver: postgres({ connectionString: process.env.DATABASE_URL || LOCAL }),
  handlers: [Welcome],
});
