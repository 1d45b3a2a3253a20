import {
  complete,
  type DefineHandler,
  defineHandler,
  fail,
  type Outcome,
  type RunContext,
} from '@rowlock/core';
import { googleLimits } from './google-limits.js';
import { googleOutcomes, PAUSES } from './google-outcome.js';
import { CreateSpreadsheet, type CreateSpreadsheetJob } from './jobs.js';
import type { Application } from './options.js';
import { KEY_PROPERTY, keyProperty } from './property.js';
import { sharingRefusal } from './sharing-refusal.js';
import type { SpreadsheetFile, Spreadsheets } from './spreadsheets.js';

type Needs<Tx> = Pick<Application<Tx>, 'sendBackUrl' | 'onCreated' | 'claim' | 'timeout'>;
type Run<Tx> = RunContext<CreateSpreadsheetJob, Tx>;

/**
 * Makes one spreadsheet for one key, whatever happens in between. The API calls of a run that are not refused:
 *
 *   the first run           create, write, share
 *   later, it is filled     find, look, share
 *   later, it is empty      find, look, write, share
 *   later, there is none    find, create, write, share
 *
 * A run that has made a file ends with it: Drive's search may not show it to the next one, which would make another.
 */
export function createSpreadsheet<Tx>(spreadsheets: Spreadsheets, needs: Needs<Tx>) {
  const define: DefineHandler<Tx> = defineHandler;
  return define({
    kind: CreateSpreadsheet.kind,
    queue: CreateSpreadsheet.queue,
    payload: CreateSpreadsheet.payload,
    attempts: CreateSpreadsheet.attempts,
    limit: CreateSpreadsheet.limit,
    retry: PAUSES,
    claim: needs.claim ?? 'hold',
    timeout: needs.timeout ?? '60s',
    run: async (context) => {
      const { key } = context;
      if (key === null)
        return fail(new TypeError('A spreadsheet.create job needs a key: the id of its spreadsheet.'));
      try {
        return await create(spreadsheets, needs, context, key);
      } catch (error) {
        return googleOutcomes(error, context);
      }
    },
  });
}

async function create<Tx>(
  spreadsheets: Spreadsheets,
  { sendBackUrl, onCreated }: Needs<Tx>,
  context: Run<Tx>,
  key: string,
): Promise<Outcome> {
  const { payload, earlierRuns } = context.job;
  const { title, columns, rows, shareWith } = payload;
  const property = keyProperty(key);

  // What nobody has tried to make need not be looked for.
  const found =
    earlierRuns === 0
      ? undefined
      : await spreadsheets.findByProperty(KEY_PROPERTY, property, googleLimits(context));
  const file = found ?? (await newFile(spreadsheets, title, property, context));

  // It may have been shared already: what people have changed in it since is theirs.
  if (!found || !(await spreadsheets.isWritten(found.spreadsheetId, googleLimits(context)))) {
    const content = { columns, rows, sendBackUrl: sendBackUrl(key), statusText: 'Not sent back yet' };
    await spreadsheets.writeContent(file.spreadsheetId, content, googleLimits(context));
  }

  const refusal = shareWith === undefined ? undefined : await share(spreadsheets, file, shareWith, context);
  const created = { ...file, ...(refusal && { notShared: refusal.message }) };
  // Last, and in the job's own transaction: the application has the link if and only if the job is complete.
  await onCreated({ key, ...created, tx: context.tx });
  return complete(created);
}

/** @returns Google's refusal to share it with this person, which is not worth the spreadsheet: somebody can share it by hand. */
async function share<Tx>(
  spreadsheets: Spreadsheets,
  { spreadsheetId }: SpreadsheetFile,
  email: string,
  context: Run<Tx>,
): Promise<Error | undefined> {
  try {
    await spreadsheets.share(spreadsheetId, email, googleLimits(context));
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { job, log } = context;
    const refusal = sharingRefusal(error);
    if (refusal === 'mail') {
      log.warn({ err: error, spreadsheetId }, 'the spreadsheet is shared, but nobody was mailed');
      return undefined;
    }
    if (refusal === undefined || (refusal === 'limit' && job.attempt < job.maxAttempts)) throw error;
    log.warn({ err: error, spreadsheetId }, 'the spreadsheet could not be shared');
    return error;
  }
}

function newFile<Tx>(
  spreadsheets: Spreadsheets,
  title: string,
  property: string,
  context: Run<Tx>,
): Promise<SpreadsheetFile> {
  return spreadsheets.createFile(
    { title, appProperties: { [KEY_PROPERTY]: property } },
    googleLimits(context),
  );
}
