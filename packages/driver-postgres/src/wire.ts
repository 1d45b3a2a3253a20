import type { PoolClient, QueryResultRow } from 'pg';
import { BEGIN, beginInFlight, COMMIT, depart, flies, inFlight } from './flight.js';
import type { Asked } from './query.js';

/** How a transaction asks its connection what is the driver's own. */
export interface Wire extends Asked {
  /** Of one statement or several, without values: sent behind what has been asked before. */
  plain(text: string): Promise<unknown>;
  begin(): Promise<unknown>;
  commit(): Promise<unknown>;
}

/** @param isOwn Whether the connection is a session of its own, and nobody else's: only there anything may be prepared. */
export function wireOf(client: PoolClient, isOwn: boolean): Wire {
  return isOwn && flies(client) ? flying(client) : oneByOne(client);
}

function oneByOne(client: PoolClient): Wire {
  const plain = (text: string): Promise<unknown> => client.query(text);
  return {
    query: (statement) => client.query(statement),
    plain,
    begin: () => plain(BEGIN.text),
    commit: () => plain(COMMIT.text),
  };
}

function flying(client: PoolClient): Wire {
  return {
    query: <Row extends QueryResultRow>(statement: Parameters<Asked['query']>[0]) =>
      inFlight<Row>(client, statement),
    async plain(text) {
      depart(client);
      return client.query(text);
    },
    begin: () => beginInFlight(client),
    commit: () => inFlight(client, COMMIT),
  };
}
