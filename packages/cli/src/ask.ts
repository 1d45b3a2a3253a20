import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.js';

/** Whether a person can be asked. */
export function isAnswered({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** @returns What a person has typed, without spaces around it. Ctrl-C and Ctrl-D answer nothing. */
export async function ask(question: string, { stdin, stderr, signal }: Terminal): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await Promise.race([
      lines.question(question, { signal }),
      // Ctrl-C and Ctrl-D close it, and leave the question without an answer.
      once(lines, 'close').then(() => ''),
    ]);
    return answer.trim();
  } finally {
    lines.close();
  }
}
