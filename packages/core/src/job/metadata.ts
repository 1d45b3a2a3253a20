import { InvalidInputError } from '../errors.js';
import { checkJson, LIMITS } from '../input.js';
import { isObject, type Json, type JsonObject } from './json.js';

export type Metadata = JsonObject;

/** The member of metadata that is Rowlock's own. It has the tick of a schedule. */
const OWN = 'rowlock';

/** @throws InvalidInputError unless it is an object of JSON, of at most 64 KiB, without the name that is Rowlock's own */
export function checkMetadata(metadata: unknown): Metadata {
  const json = checkJson('metadata', metadata, LIMITS.metadataBytes);
  if (!isObject(json)) throw new InvalidInputError('metadata must be an object.');
  checkNames(Object.keys(json));
  return json;
}

/** The metadata of a job, as a handler is given it: without what is Rowlock's own, so that it may be passed on. */
export function givenMetadata(metadata: Metadata): Metadata {
  if (!Object.hasOwn(metadata, OWN)) return metadata;
  const { [OWN]: _, ...given } = metadata;
  return given;
}

/** The metadata with what is Rowlock's own. */
export function withOwn(metadata: Metadata, own: Json): Metadata {
  return { ...metadata, [OWN]: own };
}

/** What is Rowlock's own in metadata. */
export function ownIn(metadata: Metadata): unknown {
  return metadata[OWN];
}

/** @throws InvalidInputError if one of these members of metadata is Rowlock's own */
export function checkNames(names: readonly unknown[]): void {
  if (names.includes(OWN))
    throw new InvalidInputError(
      `metadata.${OWN} is Rowlock's own, which has the tick of a schedule: choose another name.`,
    );
}
