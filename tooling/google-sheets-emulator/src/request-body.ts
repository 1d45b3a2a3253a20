import type { IncomingMessage } from 'node:http';
import { GoogleError, invalidArgument } from './google-error.js';
import { isObject, type JsonObject } from './json.js';

/** Google refuses requests larger than this. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** @throws GoogleError 413 for a body of more than 10 MiB */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new GoogleError(413, `Request payload size exceeds the limit: ${MAX_BODY_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The body as a JSON object; an empty body is an empty object.
 * @throws GoogleError 400 for anything else
 */
export async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const text = await readText(request);
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text, refuseInfinity);
  } catch (error) {
    if (error instanceof GoogleError) throw error;
    throw invalidArgument('Invalid JSON payload received. Unexpected token.', { reason: 'parseError' });
  }
  if (!isObject(value)) {
    throw invalidArgument('Invalid JSON payload received. Root element must be a message.');
  }
  return value;
}

/** `JSON.parse` makes Infinity of `1e400`, and `JSON.stringify` null of that. */
function refuseInfinity(_name: string, value: unknown): unknown {
  if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return value;
  throw invalidArgument('Invalid JSON payload received. Number exceeds the range of double.', {
    reason: 'parseError',
  });
}
