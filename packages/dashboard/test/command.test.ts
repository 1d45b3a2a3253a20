import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandFor } from '../page/job/command.js';

const JOB = { kind: 'mail.send', queue: 'mail', key: null, priority: 0, maxAttempts: 5 };

/** The words that a shell makes of a command. */
function wordsOf(command: string): readonly string[] {
  const text = execFileSync('sh', ['-c', `rowlock() { printf '%s\\0' "$@"; }; ${command}`], {
    encoding: 'utf8',
  });
  return text.split('\0').slice(0, -1);
}

test.each([
  [{ to: "it's $(id) `id` \\ \n ; rm -rf /" }, 'a "key"'],
  ['--queue', '-k'],
  [-5, '得意先 1'],
])('a shell passes on the payload %j as it is', (payload, key) => {
  expect(wordsOf(commandFor({ ...JOB, payload, key, priority: -2 }))).toEqual([
    ...['jobs', 'enqueue', '--queue=mail', `--key=${key}`, '--priority=-2', '--attempts=5'],
    ...['--', 'mail.send', JSON.stringify(payload)],
  ]);
});
