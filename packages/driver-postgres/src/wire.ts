import type { PoolClient, QueryResultRow } from 'pg';
import {
  allInFlight,
  BEGIN,
  beginInFlight,
  COMMIT,
  depart,
  flies,
  inFlight,
  inFlightWithCommit,
} from './flight.js';
import { inOneFlight } from './in-one-flight.js';
import type { Asked, QueryConfig, Rows } from './query.js';

/** How a transaction asks its connection what is the driver's own. */
export interface Wire extends Asked {
  /** Of one statement or several, without values: sent behind what has been asked before. */
  plain(text: string): Promise<unknown>;
  /** Null where a BEGIN that fails shows in the statement behind it, which is skipped. */
  begin(): Promise<unknown> | null;
  /** A statement and a COMMIT right behind it. */
  queryAndCommit<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
  /** One after the other, each only if the one before it was done. */
  inOrder(statements: readonly QueryConfig[]): Promise<void>;
  /** Whether these go in one flight, so that what is asked behind them is skipped as well when one fails. */
  readonly flies: boolean;
  /** Sends in one piece what is asked. */
  together<Answer>(ask: () => Answer): Answer;
}

/** @param isOwn Whether the connection is a session of its own, and nobody else's: only there anything may be prepared. */
export function wireOf(client: PoolClient, isOwn: boolean): Wire {
  return isOwn && flies(client) ? flying(client) : oneByOne(client);
}

function oneByOne(client: PoolClient): Wire {
  const plain = (text: string): Promise<unknown> => client.query(text);
  const together = <Answer>(ask: () => Answer): Answer => inOneFlight(client, ask);
  return {
    query: (statement) => client.query(statement),
    plain,
    begin: () => plain(BEGIN.text),
    queryAndCommit: <Row extends QueryResultRow>(statement: QueryConfig) =>
      together(async () => {
        const [rows] = await Promise.all([client.query<Row>(statement), plain(COMMIT.text)]);
        return rows;
      }),
    async inOrder(statements) {
      // Without values it has the name of what only flights prepare.
      for (const statement of statements)
        await client.query(statement.values === undefined ? statement.text : statement);
    },
    flies: false,
    together,
  };
}

function flying(client: PoolClient): Wire {
  return {
    query: <Row extends QueryResultRow>(statement: QueryConfig) => inFlight<Row>(client, statement),
    async plain(text) {
      depart(client);
      return client.query(text);
    },
    begin() {
      beginInFlight(client);
      return null;
    },
    queryAndCommit: <Row extends QueryResultRow>(statement: QueryConfig) =>
      inFlightWithCommit<Row>(client, statement),
    inOrder: (statements) => allInFlight(client, statements),
    flies: true,
    together: (ask) => ask(),
  };
}
