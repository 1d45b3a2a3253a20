import type { Enqueueable, Limit } from '@rowlock/core';
import { z } from 'zod';
import { MAX_COLUMNS, MAX_ROWS } from './limits.js';

/** The lane of both kinds: jobs of one spreadsheet exclude each other. */
const QUEUE = 'spreadsheets';
const ATTEMPTS = 8;

/**
 * How many runs of both kinds may start. A run makes at most one Sheets read and one Sheets write, if none is refused.
 * Google's default is 60 of each a minute for one user: https://developers.google.com/workspace/sheets/api/limits.
 * At most 58 runs start in any minute, after a pause three of them at once. Two are left for calls that come late.
 */
export const SHEETS_LIMIT = {
  name: 'google-sheets',
  starts: 56,
  per: '1m',
  burst: 3,
} as const satisfies Limit;

const Cell = z.union([z.string().max(5_000), z.number(), z.boolean(), z.null()]);

const CreatePayload = z
  .strictObject({
    title: z.string().trim().min(1).max(200),
    /** The header, one text a column. */
    columns: z.array(z.string().trim().min(1).max(200)).min(1).max(MAX_COLUMNS),
    rows: z.array(z.array(Cell).max(MAX_COLUMNS)).max(MAX_ROWS).default([]),
    /** Who may edit it, beside the account that makes it. */
    shareWith: z.email().max(254).optional(),
  })
  .refine(({ columns, rows }) => rows.every((row) => row.length <= columns.length), {
    path: ['rows'],
    message: 'No row may have more cells than there are columns.',
  });

const UpdatePayload = z.strictObject({});

/** What a `spreadsheet.create` job is enqueued with; the key is the application's id of the spreadsheet. */
export const CreateSpreadsheet = {
  kind: 'spreadsheet.create',
  queue: QUEUE,
  attempts: ATTEMPTS,
  limit: SHEETS_LIMIT,
  payload: CreatePayload,
} satisfies Enqueueable;

/** What a `spreadsheet.update` job is enqueued with: a wish that the rows be read back. It has nothing but its key. */
export const UpdateSpreadsheet = {
  kind: 'spreadsheet.update',
  queue: QUEUE,
  attempts: ATTEMPTS,
  limit: SHEETS_LIMIT,
  payload: UpdatePayload,
} satisfies Enqueueable;

export type CreateSpreadsheetJob = z.output<typeof CreatePayload>;
export type UpdateSpreadsheetJob = z.output<typeof UpdatePayload>;
