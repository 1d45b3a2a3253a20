import { answerWithin } from '@rowlock/core/driver';
import type { Pool } from 'mysql2/promise';
import { type GiveUp, withConnection } from '../connection/connection.js';
import type { Context } from '../context.js';
import { call, type Value } from '../query.js';

export interface GateCallParts {
  readonly pool: Pool;
  readonly context: Context;
  readonly giveUp: GiveUp;
}

/** Calls a procedure that closes the gate of a limit, on a connection of the pool, and returns its rows. @throws DriverError */
export function callAtGate<Row>(
  { pool, context: { answerMs }, giveUp }: GateCallParts,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  return withConnection(pool, answerMs, async (client) => {
    try {
      return await answerWithin(answerMs, call<Row>(client, sql, values), () => giveUp(client));
    } catch (error) {
      // A killed call may leave the gate closed until its session ends.
      client.destroy();
      throw error;
    }
  });
}
