import { InvalidInputError } from '../errors.js';
import { checkJson, LIMITS } from '../input.js';
import type { Json } from './json.js';

type Metadata = { readonly [name: string]: Json };

/** @throws InvalidInputError unless it is an object of JSON, of at most 64 KiB */
export function checkMetadata(metadata: unknown): Metadata {
  const json = checkJson('metadata', metadata, LIMITS.metadataBytes);
  if (!isObject(json)) throw new InvalidInputError('metadata must be an object.');
  return json;
}

function isObject(json: Json): json is Metadata {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
