import type { IncomingMessage } from 'node:http';
import type { CallLog } from './calls.js';
import type { Fault, Faults } from './faults.js';
import { GoogleError, invalidArgument } from './google-error.js';
import { indexAt, isObject, type JsonObject, stringAt } from './json.js';
import { readJson } from './request-body.js';

/** What tests of another process steer the emulator with. */
export interface ControlParts {
  readonly calls: CallLog;
  readonly faults: Faults;
}

/** Serves `GET /_emulator/calls` and `POST /_emulator/faults`; undefined is an empty answer. */
export async function control(
  { calls, faults }: ControlParts,
  path: string,
  request: IncomingMessage,
): Promise<unknown> {
  switch (`${request.method} ${path}`) {
    case 'GET /_emulator/calls':
      return { calls: calls.list() };
    case 'POST /_emulator/faults':
      return addFault(faults, await readJson(request));
    default:
      throw new GoogleError(404, `No such control: ${request.method} ${path}`);
  }
}

function addFault(faults: Faults, body: JsonObject): undefined {
  try {
    faults.add(faultFrom(body));
  } catch (error) {
    throw invalidArgument(error instanceof Error ? error.message : String(error));
  }
}

function faultFrom(body: JsonObject): Fault {
  const known = [
    'method',
    'path',
    'times',
    'status',
    'reason',
    'message',
    'body',
    'headers',
    'delayMs',
    'cut',
  ];
  for (const name of Object.keys(body)) {
    if (!known.includes(name)) throw new TypeError(`A fault has no "${name}".`);
  }
  const [method, path] = [stringAt(body, 'method'), stringAt(body, 'path')];
  const [reason, message] = [stringAt(body, 'reason'), stringAt(body, 'message')];
  const [answer, headers] = [stringAt(body, 'body'), texts(body.headers)];
  const [times, status, delayMs] = [
    indexAt(body, 'times'),
    indexAt(body, 'status'),
    indexAt(body, 'delayMs'),
  ];
  const { cut } = body;
  if (cut !== undefined && cut !== 'before' && cut !== 'after') {
    throw new TypeError('The cut of a fault is "before" or "after".');
  }
  return {
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(answer !== undefined && { body: answer }),
    ...(headers !== undefined && { headers }),
    ...(times !== undefined && { times }),
    ...(status !== undefined && { status }),
    ...(delayMs !== undefined && { delayMs }),
    ...(cut !== undefined && { cut }),
  };
}

function texts(value: unknown): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  const entries = isObject(value) ? Object.entries(value) : [];
  const found = entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []));
  if (found.length !== entries.length || !isObject(value)) {
    throw new TypeError('The headers of a fault are an object of texts.');
  }
  return Object.fromEntries(found);
}
