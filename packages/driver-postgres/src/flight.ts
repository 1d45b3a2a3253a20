import pg, { type Connection, type PoolClient, type QueryResultRow } from 'pg';
import { type Field, Part, type Values } from './flight-part.js';
import type { QueryConfig, Rows } from './query.js';

/** A statement that was not done because one before it failed, in its flight or in the one before: the transaction there is aborted, or over. */
class Skipped extends Error {
  override readonly name = 'Skipped';
}

export function isSkipped(error: unknown): boolean {
  return error instanceof Skipped || Object(error).code === IN_FAILED_TRANSACTION;
}

const IN_FAILED_TRANSACTION = '25P02';

/** By connection, what the flights have prepared there: the columns by the statement's name. Nobody else uses these names. */
const prepared = new WeakMap<Connection, Map<string, readonly Field[]>>();

/** Those that have not departed. */
const open = new WeakMap<PoolClient, Flight>();

/** Whatever the server's defaults: a claim and the locks after it must each see what is committed by then. */
export const BEGIN = { name: 'rowlock.begin', text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE' };
export const COMMIT = { name: 'rowlock.commit', text: 'COMMIT' };

/** Begins with what the transaction before it was begun. */
const COMMIT_AND_CHAIN = { name: 'rowlock.chain', text: 'COMMIT AND CHAIN' };

/**
 * Several statements in one message, with one Sync behind them all: the server does one after the other and answers once. Each Sync is an
 * answer that the server hands to the network and the client wakes up for; where a settlement, COMMIT, BEGIN and a claim had one
 * each, 24 connections did a sixth less. When one fails, those behind it are skipped, a COMMIT too: the transaction is left aborted.
 *
 * Submitted as a query of the client's own kind, the only one that it pipelines.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
class Flight extends pg.Query {
  readonly #parts: Part[] = [];
  #done = 0;
  /** Is set by the client where it bounds the time that a query takes. */
  callback?: () => void;

  constructor() {
    super('');
  }

  add(statement: QueryConfig): Part {
    const part = new Part(statement);
    this.#parts.push(part);
    return part;
  }

  /** Behind a COMMIT it is one statement with it. */
  begin(): void {
    const last = this.#parts.at(-1);
    if (last?.name !== COMMIT.name) {
      this.add(BEGIN);
      return;
    }
    last.name = COMMIT_AND_CHAIN.name;
    last.text = COMMIT_AND_CHAIN.text;
  }

  override submit = (connection: Connection): void => {
    const known = prepared.get(connection) ?? new Map<string, readonly Field[]>();
    prepared.set(connection, known);
    connection.stream.cork();
    for (const part of this.#parts) send(connection, part, known);
    connection.sync();
    connection.stream.uncork();
  };

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const part = this.#parts[this.#done];
    if (part !== undefined) part.fields = fields;
  }

  handleDataRow({ fields }: { fields: Values }): void {
    this.#parts[this.#done]?.rows.push(fields);
  }

  handleCommandComplete({ text }: { text: string }, connection: Connection): void {
    const part = this.#parts[this.#done];
    this.#done += 1;
    if (part === undefined) return;
    part.tag = text;
    if (part.name !== undefined) prepared.get(connection)?.set(part.name, part.fields ?? []);
  }

  handleReadyForQuery(): void {
    this.callback?.();
    for (const part of this.#parts) part.resolve();
  }

  handleError(error: unknown): void {
    this.callback?.();
    const failed = this.#done;
    // What stands behind a BEGIN has failed by that; behind anything else of a transaction before it, it was not done for no fault of its own.
    const rest =
      this.#parts[failed]?.name === BEGIN.name
        ? error
        : new Skipped('A statement before it failed.', { cause: error });
    this.#parts.forEach((part, place) => {
      if (place < failed) part.resolve();
      else part.reject(place === failed ? error : rest);
    });
  }
}

/** A statement that is known there is neither parsed nor described again. One whose first use failed may be there, or not. */
function send(connection: Connection, part: Part, known: ReadonlyMap<string, readonly Field[]>): void {
  const { name = '', text, values } = part;
  part.fields = known.get(name);
  const isKnown = part.fields !== undefined;
  if (!isKnown && name !== '') connection.close({ type: 'S', name }, false);
  if (!isKnown) connection.parse({ name, text, types: [] }, false);
  connection.bind({ statement: name, values }, false);
  if (!isKnown) connection.describe({ type: 'P' }, false);
  connection.execute(null, false);
}

/** Whether what is asked of a connection can go in flights: it is of this `pg`, and sends without waiting for answers. */
export function flies(client: PoolClient): boolean {
  return client instanceof pg.Client && client.pipeline === true;
}

/** Asks along with whatever else is asked of the connection until nothing is left to do but wait for answers. */
export function inFlight<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<Rows<Row>>;
export function inFlight(client: PoolClient, statement: QueryConfig): Promise<Rows<QueryResultRow>> {
  const part = flightOf(client).add(statement);
  return part.done().then(() => part.result);
}

/** The same, with a COMMIT right behind it. */
export function inFlightWithCommit<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<Rows<Row>>;
export function inFlightWithCommit(
  client: PoolClient,
  statement: QueryConfig,
): Promise<Rows<QueryResultRow>> {
  const flight = flightOf(client);
  const part = flight.add(statement);
  return flight
    .add(COMMIT)
    .done()
    .then(
      () => part.result,
      (error: unknown) => {
        throw error instanceof Skipped ? error.cause : error;
      },
    );
}

/** The same of several: behind one that fails none is done, and all reject as that one does. */
export async function allInFlight(client: PoolClient, statements: readonly QueryConfig[]): Promise<void> {
  const flight = flightOf(client);
  // They are told in order: what has failed ahead of those that were skipped.
  await Promise.all(statements.map((statement) => flight.add(statement).done()));
}

/** Begins a transaction. That it could not be begun shows in what is asked behind it, which is skipped. */
export function beginInFlight(client: PoolClient): void {
  flightOf(client).begin();
}

function flightOf(client: PoolClient): Flight {
  const waiting = open.get(client);
  if (waiting !== undefined) return waiting;
  const flight = new Flight();
  open.set(client, flight);
  process.nextTick(depart, client);
  return flight;
}

/** Sends what has been asked of the connection so far. */
export function depart(client: PoolClient): void {
  const flight = open.get(client);
  open.delete(client);
  if (flight !== undefined) client.query(flight);
}
