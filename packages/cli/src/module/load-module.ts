import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Capture, Plugin, RowlockOptions } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import { Failure, Misuse } from '../failure.js';

/** What a module of the application exports: one by one, or in lists. */
export interface Program extends Pick<RowlockOptions<unknown>, 'schedules'> {
  readonly handlers: readonly AnyHandler<unknown>[];
  readonly plugins: readonly Plugin[];
  readonly captures: readonly Capture[];
}

/** @throws Failure when it cannot be imported; Misuse when it has no handler */
export async function loadModule(path: string): Promise<Program> {
  const module = await imported(path);
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
    const { code, message } = Object(error);
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new Failure(
        `This Node does not read ${path}. Node 22.18 and later read TypeScript; or compile it first.`,
      );
    throw new Failure(`${path} cannot be imported: ${message ?? String(error)}`);
  }
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
