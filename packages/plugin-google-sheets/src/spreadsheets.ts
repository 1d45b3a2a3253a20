import { type CallLimits, withBackoff } from './backoff.js';
import { type Content, contentRequests, type ReadContent, readContent, TOO_MUCH } from './content.js';
import { SheetError } from './errors.js';
import { DRIVE_SCOPE, type GoogleClientOptions, googleClient } from './google-client.js';
import { LAYOUT } from './layout.js';
import { MAX_ANSWER } from './limits.js';
import { isTooLarge } from './refusal.js';

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
  writeContent(spreadsheetId: string, content: Content, limits?: CallLimits): Promise<void>;
  /** Lets someone edit; done twice it is the same permission. */
  share(spreadsheetId: string, email: string, limits?: CallLimits): Promise<void>;
  /**
   * Header and data as they are now.
   * @throws SheetError when the first sheet is not as it was made, so that its rows might be others, or too large
   */
  read(spreadsheetId: string, limits?: CallLimits): Promise<ReadContent>;
  writeStatus(spreadsheetId: string, text: string, limits?: CallLimits): Promise<void>;
}

export interface SpreadsheetsOptions extends GoogleClientOptions {
  /** The folder that new spreadsheets go to, e.g. of a shared drive; default the account's own Drive. */
  readonly folderId?: string;
  /** Whether Google mails a person with whom a spreadsheet is shared; default false: the application shows the link. */
  readonly notify?: boolean;
}

const MIME_TYPE = 'application/vnd.google-apps.spreadsheet';
const FILE_FIELDS = 'id,webViewLink';

/** The operations, over Google's own client libraries. */
export function googleSpreadsheets(options: SpreadsheetsOptions): Spreadsheets {
  const { folderId, notify = false } = options;
  const scopes = options.scopes ?? (folderId === undefined ? undefined : [DRIVE_SCOPE]);
  const client = googleClient({ ...options, ...(scopes && { scopes }) });
  // Without these Drive pretends that shared drives do not exist.
  const allDrives = { supportsAllDrives: true };

  return {
    findByProperty: (key, value, limits) =>
      withBackoff(
        'Finding the spreadsheet',
        async (signal) => {
          const wanted = {
            q: `appProperties has { key='${quoted(key)}' and value='${quoted(value)}' } and mimeType = '${MIME_TYPE}' and trashed = false`,
            fields: `nextPageToken,files(${FILE_FIELDS})`,
            spaces: 'drive',
            // One too many may exist after an unclear creation: the oldest is the one.
            orderBy: 'createdTime',
            pageSize: 1,
            includeItemsFromAllDrives: true,
            ...allDrives,
          };
          let { data } = await client.call(({ drive }) => drive.files.list(wanted, { signal }));
          // Drive may give empty pages before the end.
          while (!data.files?.length && data.nextPageToken) {
            const next = { ...wanted, pageToken: data.nextPageToken };
            ({ data } = await client.call(({ drive }) => drive.files.list(next, { signal })));
          }
          const [file] = data.files ?? [];
          return file && spreadsheetFile(file);
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
            drive.files.create({ requestBody, fields: FILE_FIELDS, ...allDrives }, { signal }),
          );
          return spreadsheetFile(data);
        },
        limits,
        { unrepeatable: true },
      ),

    writeContent: (spreadsheetId, content, limits) =>
      withBackoff(
        'Writing the spreadsheet',
        async (signal) => {
          const requestBody = { requests: contentRequests(content) };
          await client.call(({ sheets }) =>
            sheets.spreadsheets.batchUpdate(
              { spreadsheetId, requestBody, fields: 'spreadsheetId' },
              { signal },
            ),
          );
        },
        limits,
      ),

    share: (fileId, emailAddress, limits) =>
      withBackoff(
        'Sharing the spreadsheet',
        async (signal) => {
          const requestBody = { type: 'user', role: 'writer', emailAddress };
          await client.call(({ drive }) =>
            drive.permissions.create(
              { fileId, requestBody, sendNotificationEmail: notify, fields: 'id', ...allDrives },
              { signal },
            ),
          );
        },
        limits,
      ),

    async read(spreadsheetId, limits) {
      const values = await withBackoff(
        'Reading the spreadsheet',
        async (signal) => {
          const wanted = {
            spreadsheetId,
            ranges: [LAYOUT.content],
            majorDimension: 'ROWS',
            valueRenderOption: 'UNFORMATTED_VALUE',
            dateTimeRenderOption: 'FORMATTED_STRING',
          };
          const { data } = await client
            .call(({ sheets }) => sheets.spreadsheets.values.batchGet(wanted, { signal, size: MAX_ANSWER }))
            .catch((error: unknown) => {
              throw isTooLarge(error) ? new SheetError(TOO_MUCH) : error;
            });
          return data.valueRanges?.[0]?.values ?? [];
        },
        limits,
      );
      return readContent(values);
    },

    writeStatus: (spreadsheetId, text, limits) =>
      withBackoff(
        'Writing the status',
        async (signal) => {
          const data = [{ range: LAYOUT.status, values: [[text]] }];
          await client.call(({ sheets }) =>
            sheets.spreadsheets.values.batchUpdate(
              { spreadsheetId, requestBody: { valueInputOption: 'RAW', data }, fields: 'spreadsheetId' },
              { signal },
            ),
          );
        },
        limits,
      ),
  };
}

function spreadsheetFile({
  id,
  webViewLink,
}: {
  id?: string | null;
  webViewLink?: string | null;
}): SpreadsheetFile {
  if (!id) throw new TypeError('Google answered without the id that was asked for.');
  return { spreadsheetId: id, url: webViewLink ?? `https://docs.google.com/spreadsheets/d/${id}/edit` };
}

/** Inside the quotes of a Drive query. */
function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
