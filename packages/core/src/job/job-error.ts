import { InvalidPayloadError, type PayloadIssue } from '../errors.js';
import { causesOf, isError, readOr, UNREADABLE } from '../is-error.js';
import type { JobError } from './job.js';

/** The longest message of an error: a row is not a log. */
const LONGEST_MESSAGE = 4_000;

const LONGEST_CODE = 128;

/** The longest stack, with the stacks of all causes. */
const LONGEST_STACK = 4_000;

/** Each error of a chain has room, because the innermost cause is what is looked for. */
const MOST_FRAMES = 12;
const LONGEST_CAUSE = 500;

/** A frame as V8 writes it, or as JavaScriptCore does. Not one of Node's own code, or of Rowlock's where it is installed. */
const FRAME = /^(?!.*(?:\bnode:|[\\/]@rowlock[\\/]))(?:\s+at |[^@]*@\S+:\d+:\d+$)/;

const MOST_ISSUES = 20;

/** The limits of JSON, for depth and for names. */
const LONGEST_PATH = 100;
const LONGEST_NAME = 512;

const NO_ERROR = 'ROWLOCK_HANDLER';

/**
 * Anything that was thrown, or given as a reason, in the form that a job's row keeps. Never throws, although a handler
 * may throw anything: an object whose getters throw, or a message that is no text.
 */
export function jobError(reason: unknown): JobError {
  return readOr<JobError>({ code: NO_ERROR, message: UNREADABLE }, () => {
    if (reason instanceof InvalidPayloadError) return invalid(reason);
    if (isError(reason)) return { code: codeOf(reason), message: messageOf(reason), ...stackOf(reason) };
    return { code: NO_ERROR, message: text(reason) };
  });
}

/** An error that every database can hold, whatever its character set: in ASCII, and without details. */
export function plainError({ code, message, stack }: JobError): JobError {
  const plain = { code: ascii(code), message: ascii(message) };
  return stack === undefined ? plain : { ...plain, stack: ascii(stack) };
}

/** A text whose other characters are written by their numbers, e.g. `\u{2713}`. */
function ascii(value: string): string {
  return value.replaceAll(/[^\x20-\x7e\t\n\r]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

function invalid({ code, message, issues }: InvalidPayloadError): JobError {
  return { code, message: text(message), details: issues.slice(0, MOST_ISSUES).map(detail) };
}

function detail({ path, message }: PayloadIssue): { path: (string | number)[]; message: string } {
  const names = path.slice(0, LONGEST_PATH);
  return {
    path: names.map((name) => (typeof name === 'number' ? name : text(name, LONGEST_NAME))),
    message: text(message),
  };
}

function codeOf(error: Error): string {
  const code = readOr('', () => ('code' in error && typeof error.code === 'string' ? error.code : ''));
  return text(code || readOr('', () => error.name) || 'Error', LONGEST_CODE);
}

function messageOf(error: Error): string {
  return text(readOr(UNREADABLE, () => error.message || readOr(UNREADABLE, () => error.name)));
}

/** The frames of an error and of its causes. Empty if there are none, or if a stack cannot be read. */
function stackOf(error: Error): Pick<JobError, 'stack'> {
  return readOr({}, () => {
    const parts = causesOf(error).map((each, place) => {
      const head = place === 0 ? [] : [`Caused by ${codeOf(each)}: ${text(messageOf(each), LONGEST_CAUSE)}`];
      return [...head, ...framesOf(each)];
    });
    const stack = text(parts.flat().join('\n'), LONGEST_STACK);
    return stack === '' ? {} : { stack };
  });
}

function framesOf({ stack }: Error): readonly string[] {
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => FRAME.test(line)) : [];
  return frames.slice(0, MOST_FRAMES);
}

/** Any value as text of limited length that every database can hold. */
function text(value: unknown, longest = LONGEST_MESSAGE): string {
  return (typeof value === 'string' ? value : inspect(value))
    .slice(0, longest)
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}

function inspect(value: unknown): string {
  return readOr(UNREADABLE, () => JSON.stringify(value) ?? String(value));
}
