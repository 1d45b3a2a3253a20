import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { call } from './call.js';

const script = async (shell: string): Promise<string> => (await call(['completion', shell])).stdout;

test.each([
  ['s', 'status schedules skill sql'],
  ['jobs re', 'redrive'],
  ['jobs list --st', '--status'],
  ['--json jobs list --js', '--json'],
  ['schedules --json p', 'preview pause'],
  ['jobs show s', ''],
])('bash completes %s', async (line, words) => {
  const given = line.split(' ');
  const lines = `COMP_WORDS=(rowlock ${line}); COMP_CWORD=${given.length}; _rowlock; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${await script('bash')}\n${lines}`]);
  expect(stdout.trim().split(' ').sort()).toEqual(words.split(' ').sort());
});

test('zsh has the script of bash, and fish its own', async () => {
  expect(await script('zsh')).toContain(await script('bash'));
  expect(await script('fish')).toContain(
    "complete -c rowlock -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from list' -l queue -d 'of this queue'\n",
  );
});
