import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { wordsIn } from '../src/completion/words.js';
import { program } from '../src/program.js';
import { call } from './call.js';

test('the guide is written, stays as somebody has changed it, and is written over only by force', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-skill-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rowlock', 'SKILL.md');
  const skill = (...options: readonly string[]) => call(['skill', '--dir', folder, ...options]);
  expect(await skill()).toMatchObject({ code: 0, stdout: `The guide is at ${file}.\n` });
  const guide = await readFile(file, 'utf8');
  expect(guide).toMatch(/^---\nname: rowlock\ndescription: .{80,1024}\n---\n\n# Rowlock\n/);
  expect(await call(['skill', '--print'])).toMatchObject({ code: 0, stdout: guide });
  expect(await skill()).toMatchObject({ code: 0 });

  await writeFile(file, `${guide}\nOurs.\n`);
  expect(await skill()).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
  expect(await readFile(file, 'utf8')).toContain('Ours.');
  expect(await skill('--force', '--json')).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ file })}\n`,
  });
  expect(await readFile(file, 'utf8')).toBe(guide);
});

// There the system says of each folder that there is none above it, and Node's own way to make it never ends.
test.skipIf(process.platform !== 'linux')(
  'a folder that cannot be made is refused in a sentence',
  async () => {
    expect(await call(['skill', '--dir', '/proc/rowlock/skills'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\/proc\/rowlock cannot be written \(ENOENT\)/),
    });
  },
);

test('every command and option of the guide exists', async () => {
  const stream = new PassThrough();
  const { signal } = new AbortController();
  const words = wordsIn(program({ stdin: stream, stdout: stream, stderr: stream, env: {}, signal }));
  const { stdout: guide } = await call(['skill', '--print']);
  const calls = [...guide.matchAll(/npx rowlock ([^#\n`]+)/g)].map(([, line = '']) => line.trim().split(' '));
  expect(calls.length).toBeGreaterThan(8);
  for (const line of calls) {
    const path = line.filter((word) => /^[a-z]+$/.test(word)).slice(0, 2);
    const command =
      words.find((each) => each.path.join(' ') === path.join(' ')) ??
      words.find((each) => each.path.join(' ') === path[0]);
    expect(command?.path.length, line.join(' ')).toBeGreaterThan(0);
    const options = line.filter((word) => word.startsWith('--'));
    expect(command?.options.map(({ name }) => name)).toEqual(expect.arrayContaining(options));
  }
  const changing = /^`(jobs redrive`.*?) change a running system/m.exec(guide)?.[1] ?? '';
  const named = [...`\`${changing}`.matchAll(/`([a-z ]+)`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(words.map(({ path }) => path.join(' '))).toEqual(expect.arrayContaining(named));
});
