import { checkOptions } from '@rowlock/core';
import type { z } from 'zod';
import { type CallLimits, withBackoff } from './backoff.js';
import {
  type Content,
  contentRequests,
  GONE,
  type ReadSheet,
  readContent,
  statusRequest,
  TOO_MUCH,
} from './content.js';
import { SheetError } from './errors.js';
import {
  FileAnswer,
  FileListAnswer,
  googlesAnswer,
  Identified,
  MetadataAnswer,
  ReplacedAnswer,
  SpreadsheetAnswer,
  ValuesAnswer,
} from './google-answer.js';
import { DRIVE_SCOPE, type GoogleClientOptions, googleClient } from './google-client.js';
import { SHEET_ID, WRITTEN_KEY } from './layout.js';
import { MAX_ANSWER } from './limits.js';
import { isTooLarge, readRefusal } from './refusal.js';

/** A spreadsheet at Google: its id, and the page on which people edit it. */
export interface SpreadsheetFile {
  readonly spreadsheetId: string;
  readonly url: string;
}

/**
 * What the handlers do at Google. Each operation is one API call when it is not refused, a search sometimes more; a refusal
 * for the moment is answered with backoff.
 * All throw GoogleUnavailableError and GoogleRequestError, and the signal's reason.
 */
export interface Spreadsheets {
  /** The oldest file that carries the private property, and is not in the trash. */
  findByProperty(key: string, value: string, limits?: CallLimits): Promise<SpreadsheetFile | undefined>;
  /**
   * Makes an empty spreadsheet. When its fate is unclear it throws GoogleUnavailableError instead of trying again, which
   * could make a second one: look for it by its property first.
   */
  createFile(
    file: { title: string; appProperties: Readonly<Record<string, string>> },
    limits?: CallLimits,
  ): Promise<SpreadsheetFile>;
  /** Fills a new spreadsheet. A 404 passes, here and in the two calls below: Google may not have the new file everywhere yet. When the fate of a try is unclear, the next one looks first whether it was done. */
  writeContent(spreadsheetId: string, content: Content, limits?: CallLimits): Promise<void>;
  /** Whether `writeContent` was done, whatever people have changed since. */
  isWritten(spreadsheetId: string, limits?: CallLimits): Promise<boolean>;
  /** Lets someone edit; done twice it is the same permission. */
  share(spreadsheetId: string, email: string, limits?: CallLimits): Promise<void>;
  /**
   * Header and data as they are now, of the sheet that was made, wherever people have moved it.
   * @throws SheetError when the sheet is not as it was made, so that its rows might be others, or too large, or gone
   */
  read(spreadsheetId: string, limits?: CallLimits): Promise<ReadSheet>;
  /**
   * Puts a status line into the place of that which was read.
   * @returns whether it was still there. If not, nothing is written.
   */
  writeStatus(
    spreadsheetId: string,
    status: { readonly read: string; readonly text: string },
    limits?: CallLimits,
  ): Promise<boolean>;
}

export interface SpreadsheetsOptions extends GoogleClientOptions {
  /** The folder that new spreadsheets go to, e.g. of a shared drive; default the account's own Drive. */
  readonly folderId?: string;
  /** Whether Google mails a person with whom a spreadsheet is shared; default false: the application shows the link. */
  readonly notify?: boolean;
}

export const SPREADSHEETS_OPTIONS: readonly string[] = [
  'auth',
  'subject',
  'scopes',
  'rootUrl',
  'folderId',
  'notify',
] satisfies (keyof SpreadsheetsOptions)[];

const MIME_TYPE = 'application/vnd.google-apps.spreadsheet';

/** The operations, over Google's own client libraries. @throws InvalidInputError for an unknown option */
export function googleSpreadsheets(options: SpreadsheetsOptions): Spreadsheets {
  checkOptions('googleSpreadsheets()', options, SPREADSHEETS_OPTIONS);
  return spreadsheetsOf(options);
}

export function spreadsheetsOf(options: SpreadsheetsOptions): Spreadsheets {
  const { folderId, notify = false } = options;
  const scopes = options.scopes ?? (folderId === undefined ? undefined : [DRIVE_SCOPE]);
  const client = googleClient({ ...options, ...(scopes && { scopes }) });
  // Without these Drive pretends that shared drives do not exist.
  const allDrives = { supportsAllDrives: true };

  async function isWritten(spreadsheetId: string, signal: AbortSignal): Promise<boolean> {
    const wanted = { spreadsheetId, fields: 'spreadsheetId,developerMetadata(metadataKey)' };
    const { data } = await client.call(({ sheets }) => sheets.spreadsheets.get(wanted, { signal }));
    const { developerMetadata } = googlesAnswer(MetadataAnswer, data);
    return developerMetadata.some(({ metadataKey }) => metadataKey === WRITTEN_KEY);
  }

  return {
    findByProperty: (key, value, limits) =>
      withBackoff(
        'Finding the spreadsheet',
        async (signal) => {
          const wanted = {
            q: `appProperties has { key='${quoted(key)}' and value='${quoted(value)}' } and mimeType = '${MIME_TYPE}' and trashed = false`,
            fields: 'kind,nextPageToken,files(id,webViewLink)',
            spaces: 'drive',
            // One too many may exist after an unclear creation: the oldest is the one.
            orderBy: 'createdTime',
            pageSize: 1,
            includeItemsFromAllDrives: true,
            ...allDrives,
          };
          let pageToken: string | undefined;
          // Drive may give empty pages before the end.
          do {
            const page = pageToken === undefined ? wanted : { ...wanted, pageToken };
            const { data } = await client.call(({ drive }) => drive.files.list(page, { signal }));
            const answer = googlesAnswer(FileListAnswer, data);
            const [file] = answer.files;
            if (file !== undefined) return spreadsheetFile(file);
            pageToken = answer.nextPageToken;
          } while (pageToken !== undefined);
          return undefined;
        },
        limits,
      ),

    createFile: ({ title, appProperties }, limits) =>
      withBackoff(
        'Creating the spreadsheet',
        async (signal) => {
          const requestBody = {
            name: title,
            mimeType: MIME_TYPE,
            appProperties: { ...appProperties },
            ...(folderId !== undefined && { parents: [folderId] }),
          };
          const { data } = await client.call(({ drive }) =>
            drive.files.create({ requestBody, fields: 'id,webViewLink', ...allDrives }, { signal }),
          );
          return spreadsheetFile(googlesAnswer(FileAnswer, data));
        },
        limits,
        { unrepeatable: true },
      ),

    writeContent(spreadsheetId, content, limits) {
      let isRepeated = false;
      return withBackoff(
        `Writing the spreadsheet ${spreadsheetId}`,
        async (signal) => {
          // People may have it already, by its folder: what they have changed meanwhile is not written over.
          if (isRepeated && (await isWritten(spreadsheetId, signal))) return;
          isRepeated = true;
          const requestBody = { requests: contentRequests(content) };
          const { data } = await client.call(({ sheets }) =>
            sheets.spreadsheets.batchUpdate(
              { spreadsheetId, requestBody, fields: 'spreadsheetId' },
              { signal },
            ),
          );
          googlesAnswer(SpreadsheetAnswer, data);
        },
        limits,
        { isOwn: true },
      );
    },

    isWritten: (spreadsheetId, limits) =>
      withBackoff(
        `Looking at the spreadsheet ${spreadsheetId}`,
        (signal) => isWritten(spreadsheetId, signal),
        limits,
        { isOwn: true },
      ),

    share: (fileId, emailAddress, limits) =>
      withBackoff(
        `Sharing the spreadsheet ${fileId}`,
        async (signal) => {
          const requestBody = { type: 'user', role: 'writer', emailAddress };
          const { data } = await client.call(({ drive }) =>
            drive.permissions.create(
              { fileId, requestBody, sendNotificationEmail: notify, fields: 'id', ...allDrives },
              { signal },
            ),
          );
          googlesAnswer(Identified, data);
        },
        limits,
        { isOwn: true },
      ),

    read: (spreadsheetId, limits) =>
      withBackoff(
        `Reading the spreadsheet ${spreadsheetId}`,
        async (signal) => {
          const requestBody = {
            dataFilters: [{ gridRange: { sheetId: SHEET_ID } }],
            majorDimension: 'ROWS',
            valueRenderOption: 'UNFORMATTED_VALUE',
            dateTimeRenderOption: 'FORMATTED_STRING',
          };
          const { data } = await client
            .call(({ sheets }) =>
              sheets.spreadsheets.values.batchGetByDataFilter(
                { spreadsheetId, requestBody },
                { signal, size: MAX_ANSWER },
              ),
            )
            .catch((error: unknown) => {
              throw sheetError(error) ?? error;
            });
          const [found] = googlesAnswer(ValuesAnswer, data).valueRanges;
          if (found === undefined) throw new SheetError(GONE);
          return readContent(found.valueRange.values);
        },
        limits,
      ),

    writeStatus(spreadsheetId, { read, text }, limits) {
      let isRepeated = false;
      return withBackoff(
        `Writing the status of the spreadsheet ${spreadsheetId}`,
        async (signal) => {
          const requestBody = { requests: [statusRequest(read, text)] };
          const mayBeDone = isRepeated;
          isRepeated = true;
          const { data } = await client.call(({ sheets }) =>
            sheets.spreadsheets.batchUpdate(
              { spreadsheetId, requestBody, fields: 'spreadsheetId,replies' },
              { signal },
            ),
          );
          const [{ findReplace }] = googlesAnswer(ReplacedAnswer, data).replies;
          // A try whose answer was lost may have replaced it.
          return findReplace.valuesChanged > 0 || mayBeDone;
        },
        limits,
      );
    },
  };
}

/** What a person can mend of a refusal to read: the sheet is too large, or gone, which is all that can be wrong with the request. */
function sheetError(error: unknown): SheetError | undefined {
  if (isTooLarge(error)) return new SheetError(TOO_MUCH);
  const { kind, status } = readRefusal(error);
  return kind === 'final' && status === 400
    ? new SheetError(GONE, { cause: readRefusal(error).cause })
    : undefined;
}

function spreadsheetFile({ id, webViewLink }: z.output<typeof FileAnswer>): SpreadsheetFile {
  return { spreadsheetId: id, url: webViewLink ?? `https://docs.google.com/spreadsheets/d/${id}/edit` };
}

/** Inside the quotes of a Drive query. */
function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
