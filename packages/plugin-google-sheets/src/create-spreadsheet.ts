import { complete, defineHandler, fail, type Outcome, type RunContext } from '@rowlock/core';
import { googleLimits } from './google-limits.js';
import { googleOutcome, PAUSES } from './google-outcome.js';
import { CreateSpreadsheet, type CreateSpreadsheetJob } from './jobs.js';
import type { Application } from './options.js';
import { KEY_PROPERTY, keyProperty } from './property.js';
import type { SpreadsheetFile, Spreadsheets } from './spreadsheets.js';

type Needs<Tx> = Pick<Application<Tx>, 'sendBackUrl' | 'onCreated' | 'claim' | 'timeout'>;
type Run<Tx> = RunContext<CreateSpreadsheetJob, Tx>;

/**
 * Makes one spreadsheet for one key, whatever happens in between. The API calls of a run that are not refused:
 *
 *   the first run           create, write, share
 *   later, the file exists  find, write, share
 *   later, it does not      find, create, write, share
 *
 * A run that has made a file ends with it: Drive's search may not show it to the next one, which would make another.
 */
export function createSpreadsheet<Tx>(spreadsheets: Spreadsheets, needs: Needs<Tx>) {
  return defineHandler<typeof CreateSpreadsheet.payload, Tx>({
    kind: CreateSpreadsheet.kind,
    queue: CreateSpreadsheet.queue,
    payload: CreateSpreadsheet.payload,
    retry: { attempts: CreateSpreadsheet.attempts, ...PAUSES },
    claim: needs.claim ?? 'hold',
    timeout: needs.timeout ?? '60s',
    run: async (context) => {
      const { key } = context;
      if (key === null)
        return fail(new TypeError('A spreadsheet.create job needs a key: the id of its spreadsheet.'));
      try {
        return await create(spreadsheets, needs, context, key);
      } catch (error) {
        return googleOutcome(error, context.job);
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

  const content = { columns, rows, sendBackUrl: sendBackUrl(key), statusText: 'Not sent back yet' };
  await spreadsheets.writeContent(file.spreadsheetId, content, googleLimits(context));

  if (shareWith !== undefined) await spreadsheets.share(file.spreadsheetId, shareWith, googleLimits(context));
  // Last, and in the job's own transaction: the application has the link if and only if the job is complete.
  await onCreated({ key, ...file, tx: context.tx });
  return complete({ ...file });
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
