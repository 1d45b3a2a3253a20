import { CreateSpreadsheet, UpdateSpreadsheet } from '@rowlock/plugin-google-sheets';
import { z } from 'zod';

/** The API's description as OpenAPI 3.1, made of the very schemas that check the requests. */
export function openApi(publicUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Spreadsheets',
      version: '1',
      description:
        'Ask for Google Sheets, and for their rows to be sent back. Work is done by workers, later.',
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    paths: {
      '/api/spreadsheets': {
        post: operation('createSpreadsheet', 'Ask for a spreadsheet', {
          body: CreateSpreadsheet.payload,
          idempotent: true,
          ok: ['202', 'Accepted', 'Accepted'],
          problems: [400, 401, 403, 409, 413, 415, 429, 503],
        }),
        get: operation('listSpreadsheets', 'Your spreadsheets, newest first', {
          ok: ['200', 'At most 200', 'SpreadsheetList'],
          problems: [401, 429, 503],
        }),
      },
      '/api/spreadsheets/{id}': {
        parameters: [inPath('id')],
        get: operation('getSpreadsheet', 'One spreadsheet with its jobs and the rows that came back', {
          ok: ['200', 'The spreadsheet', 'SpreadsheetDetails'],
          problems: [401, 403, 404, 429, 503],
        }),
      },
      '/api/spreadsheets/{id}/send-back': {
        parameters: [inPath('id')],
        post: operation('sendBack', 'Ask for its rows to be sent back, as often as you like', {
          body: UpdateSpreadsheet.payload,
          idempotent: true,
          ok: ['202', 'Accepted', 'Accepted'],
          problems: [400, 401, 403, 404, 409, 415, 429, 503],
        }),
      },
      '/api/jobs/{publicId}': {
        parameters: [inPath('publicId')],
        get: operation('getJob', 'What became of a request', {
          ok: ['200', 'The job', 'Job'],
          problems: [401, 403, 404, 429, 503],
        }),
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: Object.fromEntries(
        Object.entries(ANSWERS).map(([name, schema]) => [name, jsonSchema(schema, 'output')]),
      ),
    },
  };
}

const uuid = z.uuid();
const time = z.iso.datetime();
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const Job = z.object({
  id: uuid,
  spreadsheet: uuid.nullable(),
  kind: z.string(),
  status: z.enum(['new', 'in-progress', 'complete', 'error', 'cancelled']),
  attempt: z.int(),
  maxAttempts: z.int(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  run: uuid.nullable(),
  worker: z.string().nullable(),
  progress: z.unknown(),
  output: z.unknown(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const Spreadsheet = z.object({
  id: uuid,
  mark: z.string().describe('What stands for it in the lock picture'),
  title: z.string(),
  columns: z.array(z.string()),
  status: z.enum(['waiting', 'being-created', 'ready', 'failed', 'cancelled']),
  url: z.url().nullable(),
  notShared: z.string().nullable().describe('Why Google did not share it with its owner'),
  createdAt: time,
  returns: z.int(),
  returnedAt: time.nullable(),
});

const ANSWERS = {
  Accepted: z.object({ id: uuid, job: uuid }),
  Job,
  SpreadsheetList: z.object({ spreadsheets: z.array(Spreadsheet) }),
  SpreadsheetDetails: Spreadsheet.extend({ jobs: z.array(Job), rows: z.array(z.array(cell)) }),
  Problem: z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
  }),
};

interface Operation {
  readonly body?: z.ZodType;
  readonly idempotent?: boolean;
  readonly ok: readonly [status: string, description: string, schema: keyof typeof ANSWERS];
  readonly problems: readonly (keyof typeof PROBLEMS)[];
}

const PROBLEMS = {
  400: 'The request is not what is expected; `errors` says where',
  401: 'No token, or one that is not valid or has expired',
  403: 'It belongs to somebody else, or the request came from another site',
  404: 'There is no such thing',
  409: 'The Idempotency-Key was used for another request',
  413: 'The body is larger than 1 MB',
  415: 'The body is not JSON',
  429: 'Too many requests; see Retry-After',
  // A connection that breaks at COMMIT leaves open whether it was committed.
  503: 'The database or the identity provider cannot be reached; see Retry-After. It may have been done: with the same Idempotency-Key it is not done twice',
} as const;

function operation(
  operationId: string,
  summary: string,
  { body, idempotent, ok, problems }: Operation,
): object {
  const [status, description, schema] = ok;
  return {
    operationId,
    summary,
    ...(idempotent && { parameters: [IDEMPOTENCY_KEY] }),
    ...(body && { requestBody: { content: { 'application/json': { schema: jsonSchema(body, 'input') } } } }),
    responses: {
      [status]: { description, content: { 'application/json': { schema: reference(schema) } } },
      ...Object.fromEntries(problems.map((each) => [each, problem(PROBLEMS[each])])),
    },
  };
}

function problem(description: string): object {
  return { description, content: { 'application/problem+json': { schema: reference('Problem') } } };
}

function reference(name: keyof typeof ANSWERS): object {
  return { $ref: `#/components/schemas/${name}` };
}

function inPath(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Your own name for this request: sent again with the same key, the same job answers.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  // OpenAPI 3.1 schemas are of this draft unless they say otherwise.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}
