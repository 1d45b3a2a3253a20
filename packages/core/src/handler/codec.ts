import { isPromise } from 'node:util/types';
import { InvalidInputError, InvalidPayloadError } from '../errors.js';
import { checkJson, LIMITS } from '../input.js';
import { messageOf } from '../is-error.js';
import type { JobView } from '../job/job.js';
import type { Json } from '../job/json.js';
import { shown } from '../shown.js';
import { unawaited } from '../thenable.js';

/**
 * How the payloads of a kind are kept, e.g. encrypted: in the table as text, and in clear for the handler. Both functions
 * are synchronous.
 */
export interface Codec {
  /** Makes the text that is kept of a payload, whose JSON is given as text. */
  encode(json: string): string;
  /** Gives back the JSON. If it throws, this version cannot read the payload: see `onInvalidPayload` of a handler. */
  decode(encoded: string): string;
}

/** A kind, and the codec of its payloads. */
export interface Coded {
  readonly kind: string;
  readonly codec?: Codec | undefined;
}

/** The one member of a payload that is encoded. Any other payload is in clear. */
const ENCODED = 'rowlock.encoded';

/** @throws InvalidInputError */
export function checkCodec({ kind, codec }: Coded): void {
  if (codec === undefined) return;
  const { encode, decode } = Object(codec);
  if (typeof encode === 'function' && typeof decode === 'function') return;
  throw new InvalidInputError(
    `The codec of ${shown(kind)} must be { encode, decode }, two functions of text.`,
  );
}

/**
 * The payload, as it is kept.
 *
 * @throws InvalidInputError, or what the codec throws
 */
export function encoded({ kind, codec }: Coded, payload: Json): Json {
  if (codec === undefined) return payload;
  const text = checkText(`encode of the codec of ${shown(kind)}`, codec.encode(JSON.stringify(payload)));
  return checkJson('The encoded payload', { [ENCODED]: text }, LIMITS.payloadBytes);
}

/**
 * The payload in clear. One that is not encoded is given back as it is, such as one from SQL, or from before the codec.
 *
 * @throws InvalidPayloadError
 */
export function decoded({ kind, codec }: Coded, payload: Json): Json {
  const text = encodedIn(payload);
  if (text === undefined) return payload;
  const invalid = (message: string) => new InvalidPayloadError(kind, [{ path: [], message }]);
  if (codec === undefined) throw invalid('it is encoded, and its handler has no codec here');
  try {
    return JSON.parse(checkText('decode', codec.decode(text)));
  } catch (error) {
    throw invalid(`its codec cannot decode it: ${messageOf(error)}`);
  }
}

/** @throws InvalidInputError */
function checkText(what: string, text: unknown): string {
  if (typeof text === 'string') return text;
  throw new InvalidInputError(
    `${what} must return text, not ${isPromise(unawaited(text)) ? 'a promise' : typeof text}.`,
  );
}

/** A job with its payload in clear. @throws InvalidPayloadError */
export function decodedView(handler: Coded, job: JobView): JobView {
  const payload = decoded(handler, job.payload);
  return payload === job.payload ? job : { ...job, payload };
}

/** @throws InvalidInputError if the payload of a job, which no codec is at hand for, is encoded */
export function checkClear(job: Pick<JobView, 'publicId' | 'payload'> | undefined): void {
  if (job !== undefined && encodedIn(job.payload) !== undefined)
    throw new InvalidInputError(
      `The payload of job ${job.publicId} is encoded by its handler's codec, so no part of it can be changed: replace it by an enqueue with onDuplicate, or cancel the job and enqueue another one.`,
    );
}

function encodedIn(payload: Json): string | undefined {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, ENCODED)) return undefined;
  const { [ENCODED]: text, ...others } = Object(payload);
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined;
}
