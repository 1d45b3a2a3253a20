import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { defineHandler } from '@rowlock/core';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { program } from '../src/program.js';
import { call } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();
/** Where what is written for a project goes. */
const PROJECT = mkdtempSync(join(tmpdir(), 'rowlock-page-'));
afterAll(() => rmSync(PROJECT, { recursive: true, force: true }));

const PAGE = readFileSync(new URL('../../../docs/run/cli.md', import.meta.url), 'utf8');
const HANDLERS = fileURLToPath(new URL('handlers.ts', import.meta.url));
const COMMANDS = [...PAGE.matchAll(/^npx rowlock (.*)$/gm)].map(([, words = '']) => words);
/** The id that stands for a job of the reader's. */
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;
/** What `mcp` answers: it writes nothing by itself. */
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

test.each(COMMANDS)('the page says what works: rowlock %s', async (words) => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const Mail = defineHandler({ kind: 'mail.send', queue: 'mail', payload: z.object({}), run: () => null });
  const { publicId } = await rowlock.enqueue(Mail, { payload: {}, delay: '1h' });
  await rowlock.schedules.set('nightly', { handler: Mail, payload: {}, every: '1d' });
  const isEndless = words.includes('--watch') || /^(dashboard|run (?!.*--until-idle))/.test(words);
  const signal = isEndless ? AbortSignal.abort() : new AbortController().signal;
  const given = words
    .replace(ID, publicId)
    .replace('./handlers.ts', HANDLERS)
    .replace('--port 4000', '--port 0')
    .replace(/^skill\b.*/, `skill --dir ${PROJECT}`);
  const stdin = words === 'mcp' ? PING : '';
  const called = await call(wordsOf(given), { url, signal, stdin });
  expect(called).toMatchObject({ code: 0, stderr: '' });
  expect(called.stdout).not.toBe('');
});

test('every command is on the page', () => {
  const { stdin, stdout, stderr } = process;
  const root = program({ stdin, stdout, stderr, env: {}, signal: new AbortController().signal });
  const missing = commandsOf(root).filter(
    (name) => !COMMANDS.some((words) => `${words} `.startsWith(`${name} `)),
  );
  expect(missing).toEqual([]);
});

/** The names of the commands that do something, without the first word. */
function commandsOf(parent: CommandUnknownOpts, before = ''): readonly string[] {
  return parent.commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    return command.commands.length === 0 ? [name] : commandsOf(command, `${name} `);
  });
}

/** As a shell divides them, without variables. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
