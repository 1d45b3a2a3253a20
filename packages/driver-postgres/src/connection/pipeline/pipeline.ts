import pg, { type PoolClient, type QueryResultRow } from 'pg';
import type { Queryable, QueryConfig, Rows } from '../../query.js';
import { type Message, messageOf, Skipped, sendMessage } from './message.js';
import { inOnePacket } from './one-packet.js';
import { BEGIN, COMMIT } from './transaction-words.js';

/** How a claim's transaction sends the driver's own statements. */
export interface Pipeline extends Queryable {
  /** Whether statements share messages. A failed statement then skips those behind it. */
  readonly sharesMessages: boolean;
  /** Sends one text or several, without values, behind the earlier statements. */
  plain(text: string): Promise<unknown>;
  /** Null when the next statement shows a failure of the BEGIN. */
  begin(): Promise<unknown> | null;
  /** Sends a statement and a COMMIT right behind it. */
  queryAndCommit<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
  /** Sends statements in order. Each runs only after the success of the one before it. */
  inOrder(statements: readonly QueryConfig[]): Promise<void>;
  /** Sends together what `send` sends. */
  together<Answer>(send: () => Answer): Answer;
}

/** @param isOwn Whether the connection is a session of its own and unshared. Only such a session may have prepared statements. */
export function pipelineOf(client: PoolClient, isOwn: boolean): Pipeline {
  const sharesMessages = isOwn && client instanceof pg.Client && client.pipeline === true;
  return sharesMessages ? new SharedMessages(client) : oneByOne(client);
}

function oneByOne(client: PoolClient): Pipeline {
  const plain = (text: string): Promise<unknown> => client.query(text);
  const together = <Answer>(send: () => Answer): Answer => inOnePacket(client, send);
  return {
    sharesMessages: false,
    query: (statement) => client.query(statement),
    plain,
    begin: () => plain(BEGIN.text),
    queryAndCommit: <Row extends QueryResultRow>(statement: QueryConfig) =>
      together(async () => {
        const [rows] = await Promise.all([client.query<Row>(statement), plain(COMMIT.text)]);
        return rows;
      }),
    async inOrder(statements) {
      // A statement without values has the name of one that only messages prepare.
      for (const statement of statements)
        await client.query(statement.values === undefined ? statement.text : statement);
    },
    together,
  };
}

class SharedMessages implements Pipeline {
  readonly sharesMessages = true;
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  get #message(): Message {
    return messageOf(this.#client);
  }

  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
  query(statement: QueryConfig): Promise<Rows<QueryResultRow>> {
    const part = this.#message.add(statement);
    return part.done().then(() => part.result);
  }

  async plain(text: string): Promise<unknown> {
    sendMessage(this.#client);
    return this.#client.query(text);
  }

  begin(): null {
    this.#message.begin();
    return null;
  }

  queryAndCommit<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
  async queryAndCommit(statement: QueryConfig): Promise<Rows<QueryResultRow>> {
    const part = this.#message.add(statement);
    try {
      await this.#message.add(COMMIT).done();
    } catch (error) {
      throw error instanceof Skipped ? error.cause : error;
    }
    return part.result;
  }

  async inOrder(statements: readonly QueryConfig[]): Promise<void> {
    // The failed statement rejects first, ahead of the skipped ones.
    await Promise.all(statements.map((statement) => this.#message.add(statement).done()));
  }

  together<Answer>(send: () => Answer): Answer {
    return send();
  }
}
