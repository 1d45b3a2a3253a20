import { badRequest, type FieldViolation } from './google-error.js';
import { isObject, type JsonObject } from './json.js';
import { MESSAGES, type Type } from './messages.js';

/**
 * Reads a request's body as Google reads JSON for a message: numbers may be texts, null is as if left out, and names may have
 * underscores.
 * @throws GoogleError 400 that names every member that Google does not know, and every value of a wrong type
 */
export function parseMessage(body: JsonObject, message: string): JsonObject {
  const violations: FieldViolation[] = [];
  const parsed = members(body, message, '', violations);
  if (violations.length > 0) throw badRequest(violations);
  return parsed;
}

function members(object: JsonObject, message: string, at: string, violations: FieldViolation[]): JsonObject {
  const known = MESSAGES[message] ?? {};
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const member = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const type = Object.hasOwn(known, member) ? known[member] : undefined;
    if (type === undefined) {
      const where = at && ` at '${at}'`;
      const description = `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
      violations.push({ ...(at && { field: at }), description });
    } else if (value !== null) {
      const path = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      parsed[member] = parsedValue(value, type, at ? `${at}.${path}` : path, violations);
    }
  }
  return parsed;
}

function parsedValue(value: unknown, type: Type, at: string, violations: FieldViolation[]): unknown {
  if (typeof type !== 'string') {
    const [each] = type;
    // A single one stands for a list of one.
    const list = Array.isArray(value) ? value : [value];
    return list.map((element: unknown, index) => parsedValue(element, each, `${at}[${index}]`, violations));
  }
  if (type === 'any') return value;
  if (type in MESSAGES && isObject(value)) return members(value, type, at, violations);
  const parsed = SCALARS[type]?.(value);
  if (parsed !== undefined) return parsed;
  const description = `Invalid value at '${at}' (${TYPE_NAMES[type] ?? `type.googleapis.com/google.apps.sheets.v4.${type}`}), ${JSON.stringify(value)}`;
  violations.push({ field: at, description });
  return undefined;
}

/** What a value is read as; undefined for one that Google refuses. */
const SCALARS: Readonly<Record<string, (value: unknown) => unknown>> = {
  string: text,
  mask: text,
  double: number,
  int32: (value) => (Number.isInteger(number(value)) ? number(value) : undefined),
  bool: (value) =>
    value === 'true' ? true : value === 'false' ? false : typeof value === 'boolean' ? value : undefined,
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'TYPE_STRING',
  double: 'TYPE_DOUBLE',
  int32: 'TYPE_INT32',
  bool: 'TYPE_BOOL',
  mask: 'type.googleapis.com/google.protobuf.FieldMask',
};

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^-?\d[\d.]*(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}
