import type { Plugin, PluginWorker } from '@rowlock/core';
import type { Middleware } from '@rowlock/core/types';
import { DatabaseGauges, type Watched } from '../metrics/database-gauges.js';
import { Measurements } from '../metrics/measurements.js';
import { CONTENT_TYPE, textOf } from './text.js';
import { Totals } from './totals.js';

/** A plugin that counts, and gives the counts as Prometheus reads them. Made by `prometheus`; the class is a container's token for it. */
export class Prometheus implements Plugin {
  /** The content type of `text()`. Prometheus refuses a scrape with that of a page. */
  static readonly contentType = CONTENT_TYPE;

  readonly name = 'prometheus';
  readonly handlers = [];
  readonly #totals = new Totals();
  readonly #measurements = new Measurements(this.#totals);
  #database: DatabaseGauges | null = null;

  readonly middleware: Middleware = {
    enqueue: (call, next) => this.#measurements.enqueue(call, next),
    run: (run, next) => this.#measurements.run(run, next),
  };

  start(starting: PluginWorker): void {
    this.#measurements.start(starting);
  }

  stop(stopped: PluginWorker): void {
    this.#measurements.stop(stopped);
  }

  /**
   * Adds the gauges of this Rowlock's database. A scrape reads them by a few small statements, at most once in 5 s. If the
   * database has not answered after 2 s, the scrape has the last values, and `rowlock_database_slow 1`.
   */
  watch(rowlock: Watched): void {
    this.#database = new DatabaseGauges(rowlock);
  }

  /** The metrics in Prometheus's text format. Never rejects. */
  async text(): Promise<string> {
    const ofDatabase = (await this.#database?.read()) ?? [];
    return textOf(this.#totals, [...this.#measurements.read(), ...ofDatabase]);
  }

  /** Answers any GET with `text()`, so it can be mounted at any path. */
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    return new Response(await this.text(), { headers: { 'content-type': CONTENT_TYPE } });
  }
}

/**
 * Counts what happens to jobs in this process, for Prometheus. Needs no OpenTelemetry.
 *
 * @example
 * const metrics = prometheus();
 * const rowlock = createRowlock({ driver, handlers, plugins: [metrics] });
 * metrics.watch(rowlock);
 * createServer(node(metrics)).listen(9464);
 */
export function prometheus(): Prometheus {
  return new Prometheus();
}
