import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Capture, Plugin, RowlockOptions } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import type { Complaints } from '../complaints.js';
import { Failure, Misuse } from '../failure.js';

/** How long an import may take before it is said, in milliseconds. */
const LONG_MS = 10_000;

/** What a module of the application exports: one by one, or in lists. */
export interface Program extends Pick<RowlockOptions<unknown>, 'schedules'> {
  readonly handlers: readonly AnyHandler<unknown>[];
  readonly plugins: readonly Plugin[];
  readonly captures: readonly Capture[];
}

/** @throws Failure when it cannot be imported; Misuse when it has no handler */
export async function loadModule(path: string, complaints: Complaints): Promise<Program> {
  const long = setTimeout(
    () =>
      complaints.say(`${path} is still being imported: nothing begins before all that it awaits has come.`),
    LONG_MS,
  );
  const module = await imported(path).finally(() => clearTimeout(long));
  const exports = Object.values(module).flat();
  const program = {
    handlers: unique(exports.filter(isHandler)),
    plugins: unique(exports.filter(isPlugin)),
    captures: unique(exports.filter(isCapture)),
    ...(isSchedules(module.schedules) && { schedules: module.schedules }),
  };
  if (program.handlers.length + program.plugins.length > 0) return program;
  throw new Misuse(`${path} exports no handler and no plugin.`);
}

async function imported(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    const { code, message, stack } = Object(error);
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new Failure(
        `This Node does not read ${path}. Node 22.18 and later read TypeScript; or compile it first.`,
      );
    throw new Failure(
      `${path} cannot be imported: ${message ?? String(error)} ${placeIn(stack) ?? hint(path, error)}`.trimEnd(),
    );
  }
}

/** The file and the line that an error is of: a module imports others. */
function placeIn(stack: unknown): string | undefined {
  const [, place = '', line] =
    /(?:^|\(|at )((?:file:\/)?\/[^\n()]+?):(\d+)(?::\d+)?\)?$/m.exec(`${stack}`) ?? [];
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return file === '' ? undefined : `(${file}:${line})`;
}

/** Node keeps the place of a mistake in the grammar to itself, unless nobody catches the error. */
function hint(path: string, error: unknown): string {
  return error instanceof SyntaxError ? `(to see where, run: node ${path})` : '';
}

/** A default export is often there under its name too. */
function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}

function isHandler(value: unknown): value is AnyHandler<unknown> {
  return isRecord(value) && typeof value.kind === 'string' && typeof value.code === 'object';
}

function isPlugin(value: unknown): value is Plugin {
  return isRecord(value) && typeof value.name === 'string' && Array.isArray(value.handlers);
}

function isCapture(value: unknown): value is Capture {
  return isRecord(value) && typeof value.name === 'string' && isRecord(value.plan);
}

/** Core checks them. */
function isSchedules(value: unknown): value is NonNullable<Program['schedules']> {
  return isRecord(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
