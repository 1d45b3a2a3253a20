import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Happening, HistoryEvent } from './event.js';

/** Milliseconds of the machine's monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What one process writes down. */
export class HistoryFile {
  readonly #file: number;

  constructor(
    folder: string,
    readonly by: string,
  ) {
    this.#file = openSync(join(folder, `${by}.jsonl`), 'a');
  }

  /** Synchronously, by one write: a process that is killed after it has written it, and half a line is never more than the last. */
  write(happening: Happening): number {
    const at = monotonicMs();
    writeSync(this.#file, `${JSON.stringify({ at, by: this.by, ...happening })}\n`);
    return at;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What all processes wrote down, in the order of time. */
export function readHistory(folder: string): HistoryEvent[] {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines
    .filter((line) => line !== '')
    .map((line): HistoryEvent => JSON.parse(line))
    .sort((a, b) => a.at - b.at);
}
