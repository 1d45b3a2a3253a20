import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { Welcome } from './welcome.ts';

/** The server of compose.yaml. */
const LOCAL = 'mysql://root:rowlock@127.0.0.1:3306/app';

export const rowlock = createRowlock({
  driver: mysql({ uri: process.env.DATABASE_URL || LOCAL }),
  handlers: [Welcome],
});
