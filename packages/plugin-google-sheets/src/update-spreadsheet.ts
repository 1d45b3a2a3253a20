import {
  complete,
  type DefineHandler,
  defineHandler,
  fail,
  type HandlerResult,
  type RunContext,
} from '@rowlock/core';
import type { ReadSheet } from './content.js';
import { GoogleRequestError, GoogleUnavailableError } from './errors.js';
import { googleLimits } from './google-limits.js';
import { googleOutcomes, mayBeOfNewFile, PAUSES } from './google-outcome.js';
import { CreateSpreadsheet, UpdateSpreadsheet, type UpdateSpreadsheetJob } from './jobs.js';
import type { Application } from './options.js';
import type { Spreadsheets } from './spreadsheets.js';

type Needs<Tx> = Pick<Application<Tx>, 'resolve' | 'onRows' | 'claim' | 'timeout'>;
type Run<Tx> = RunContext<UpdateSpreadsheetJob, Tx>;

/**
 * Takes the rows of a spreadsheet back, once for all requests that wait: one read, the application's own writes in the job's
 * transaction, one write of the status line. Two API calls, however many clicks.
 */
export function updateSpreadsheet<Tx>(spreadsheets: Spreadsheets, needs: Needs<Tx>) {
  const define: DefineHandler<Tx> = defineHandler;
  return define({
    kind: UpdateSpreadsheet.kind,
    queue: UpdateSpreadsheet.queue,
    payload: UpdateSpreadsheet.payload,
    group: true,
    after: [CreateSpreadsheet.kind],
    attempts: UpdateSpreadsheet.attempts,
    limit: UpdateSpreadsheet.limit,
    retry: PAUSES,
    claim: needs.claim ?? 'hold',
    timeout: needs.timeout ?? '60s',
    run: (context) => update(spreadsheets, needs, context),
  });
}

async function update<Tx>(
  spreadsheets: Spreadsheets,
  { resolve, onRows }: Needs<Tx>,
  context: Run<Tx>,
): Promise<HandlerResult> {
  const { key, jobs, tx, signal } = context;
  if (key === null)
    return fail(new TypeError('A spreadsheet.update job needs a key: the id of its spreadsheet.'));
  const spreadsheetId = await resolve(key);
  if (spreadsheetId == null) {
    // Its create job is settled, or this one would still be waiting.
    return fail(
      new Error(
        `There is no spreadsheet for ${JSON.stringify(key)}: creating it failed, or was never asked for.`,
      ),
    );
  }

  let sheet: ReadSheet;
  try {
    sheet = await spreadsheets.read(spreadsheetId, googleLimits(context));
  } catch (error) {
    return googleOutcomes(error, context, true);
  }
  const { columns, rows, statusText: read } = sheet;
  await onRows({ key, spreadsheetId, columns, rows, jobs, tx, signal });
  await showStatus(
    spreadsheets,
    spreadsheetId,
    { read, text: statusText(jobs.length, rows.length) },
    context,
  );
  return complete({ rows: rows.length, requests: jobs.length });
}

/**
 * From here on an error is thrown, not returned: that undoes what `onRows` wrote, and a later run does all of it. Only a refusal
 * that would come every time, and none in the last attempt, is worth the rows that were taken in: these are told to the log.
 */
async function showStatus<Tx>(
  spreadsheets: Spreadsheets,
  spreadsheetId: string,
  status: { readonly read: string; readonly text: string },
  context: Run<Tx>,
): Promise<void> {
  try {
    const isWritten = await spreadsheets.writeStatus(spreadsheetId, status, googleLimits(context));
    if (!isWritten)
      context.log.warn({ spreadsheetId }, 'the status line is not where it was: it was not written');
  } catch (error) {
    const isLast = context.jobs.some(({ attempt, maxAttempts }) => attempt >= maxAttempts);
    const isOver = error instanceof GoogleRequestError || (error instanceof GoogleUnavailableError && isLast);
    if (!isOver || context.jobs.some((job) => mayBeOfNewFile(error, job))) throw error;
    context.log.warn({ err: error, spreadsheetId }, 'the status line could not be written');
  }
}

function statusText(requests: number, rows: number): string {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return `Received ${counted(requests, 'request')} at ${at}: ${counted(rows, 'row')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
