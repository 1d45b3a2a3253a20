import { createHash, randomUUID } from 'node:crypto';
import type { JobView, Rowlock } from '@rowlock/core';
import {
  CreateSpreadsheet,
  type CreateSpreadsheetJob,
  UpdateSpreadsheet,
} from '@rowlock/plugin-google-sheets';
import type { Row, Spreadsheet } from './data/spreadsheet.js';
import type { SpreadsheetStore } from './data/spreadsheet-store.js';
import { uuidOf } from './uuid.js';

/** A request that was accepted: its spreadsheet, and its job's public id. */
export interface AcceptedRequest {
  readonly spreadsheet: string;
  readonly job: string;
}

export interface SpreadsheetReport {
  readonly spreadsheet: Spreadsheet;
  readonly createJob: JobView | undefined;
}

/** What users do with spreadsheets, whatever the protocol. It only writes rows; workers do the rest. */
export class Spreadsheets<Tx> {
  readonly #rowlock: Rowlock<Tx>;
  readonly #store: SpreadsheetStore<Tx>;

  constructor(rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) {
    this.#rowlock = rowlock;
    this.#store = store;
  }

  /**
   * Asks for a spreadsheet. Its row and its job are committed together or not at all.
   *
   * @param idempotencyKey Asked again with the same key, the same job answers.
   * @throws KeyReusedError
   */
  async create(
    owner: string,
    request: CreateSpreadsheetJob,
    idempotencyKey?: string,
  ): Promise<AcceptedRequest> {
    const fingerprint = fingerprintOf(request);
    const { title, columns } = request;
    const { outcome, id, createJob } = await this.#store.transaction(async (tx) => {
      const id = randomUUID();
      const { outcome, publicId: createJob } = await this.#rowlock.enqueue(
        CreateSpreadsheet,
        { key: id, payload: request, ...once(owner, idempotencyKey, fingerprint) },
        { tx },
      );
      if (outcome === 'enqueued') await this.#store.insert({ id, owner, title, columns, createJob }, tx);
      return { outcome, id, createJob };
    });
    if (outcome === 'enqueued') return { spreadsheet: id, job: createJob };
    return this.#before(createJob, fingerprint);
  }

  /**
   * Asks for the rows of a spreadsheet to be sent back, as often as one likes: what is outstanding becomes one run.
   *
   * @throws NotFoundError, NotYoursError, KeyReusedError
   */
  async sendBack(owner: string, anyId: string, idempotencyKey?: string): Promise<AcceptedRequest> {
    const { id } = await this.#own(owner, anyId);
    const fingerprint = fingerprintOf(id);
    const { outcome, publicId } = await this.#rowlock.enqueue(UpdateSpreadsheet, {
      key: id,
      payload: {},
      ...once(owner, idempotencyKey, fingerprint),
    });
    return outcome === 'enqueued' ? { spreadsheet: id, job: publicId } : this.#before(publicId, fingerprint);
  }

  async list(owner: string): Promise<readonly SpreadsheetReport[]> {
    const spreadsheets = await this.#store.listOf(owner);
    return Promise.all(spreadsheets.map((spreadsheet) => this.#report(spreadsheet)));
  }

  /** @throws NotFoundError, NotYoursError */
  async get(owner: string, id: string): Promise<SpreadsheetReport> {
    return this.#report(await this.#own(owner, id));
  }

  /** The newest 100 jobs about a spreadsheet, newest first. */
  async jobsOf(id: string): Promise<readonly JobView[]> {
    const { jobs } = await this.#rowlock.jobs.list({ queue: CreateSpreadsheet.queue, key: id, limit: 100 });
    return jobs;
  }

  /** The rows as they last came back. */
  rowsOf(id: string): Promise<readonly Row[]> {
    return this.#store.rowsOf(id);
  }

  /** @throws NotFoundError, NotYoursError */
  async job(owner: string, publicId: string): Promise<JobView> {
    const uuid = uuidOf(publicId);
    const job = uuid && (await this.#rowlock.find(uuid));
    const spreadsheet = job && (await this.#find(job.key ?? ''));
    if (!job || !spreadsheet) throw new NotFoundError('There is no such job.');
    if (spreadsheet.owner !== owner)
      throw new NotYoursError('This job is about a spreadsheet of somebody else.');
    return job;
  }

  async #own(owner: string, id: string): Promise<Spreadsheet> {
    const spreadsheet = await this.#find(id);
    if (spreadsheet === undefined) throw new NotFoundError('There is no such spreadsheet.');
    if (spreadsheet.owner !== owner) throw new NotYoursError('This spreadsheet belongs to somebody else.');
    return spreadsheet;
  }

  async #find(id: string): Promise<Spreadsheet | undefined> {
    const uuid = uuidOf(id);
    return uuid === undefined ? undefined : this.#store.find(uuid);
  }

  async #report(spreadsheet: Spreadsheet): Promise<SpreadsheetReport> {
    if (spreadsheet.google !== null) return { spreadsheet, createJob: undefined };
    return { spreadsheet, createJob: await this.#rowlock.find(spreadsheet.createJob) };
  }

  /** The request that took the idempotency key. */
  async #before(publicId: string, fingerprint: string): Promise<AcceptedRequest> {
    const job = await this.#rowlock.find(publicId);
    if (job?.key == null || job.metadata[FINGERPRINT] !== fingerprint) {
      throw new KeyReusedError('This Idempotency-Key was used for another request. Use a new key.');
    }
    return { spreadsheet: job.key, job: publicId };
  }
}

/** There is nothing under this id. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** What the id names belongs to another user. */
export class NotYoursError extends Error {
  override readonly name = 'NotYoursError';
}

/** An idempotency key came again with another request. */
export class KeyReusedError extends Error {
  override readonly name = 'KeyReusedError';
}

const FINGERPRINT = 'fingerprint';

/** The job's unique key is the user's own key; its metadata tells whether the same thing was asked for. */
function once(owner: string, idempotencyKey: string | undefined, fingerprint: string) {
  if (idempotencyKey === undefined) return {};
  const unique = { key: fingerprintOf([owner, idempotencyKey]), scope: 'ever' as const };
  return { unique, metadata: { [FINGERPRINT]: fingerprint } };
}

function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
