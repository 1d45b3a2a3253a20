// `npm start`: the sample application, on a database and a Google Sheets of its own.
import { existsSync } from 'node:fs';
import { runChild } from './run-child.mjs';

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  const first = !existsSync('node_modules');
  console.log(`Installing and building${first ? ' (about two minutes the first time)' : ''} …`);
  for (const [command, ...rest] of [
    ['pnpm', 'install', '--frozen-lockfile', '--reporter=append-only'],
    [
      'pnpm',
      'exec',
      'turbo',
      'run',
      'build',
      '--filter=@rowlock/app-spreadsheets...',
      '--output-logs=errors-only',
    ],
  ]) {
    const done = await runChild(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (done.signalled) return done.code || 130;
    if (done.code !== 0) {
      console.error(`${done.output}\n${[command, ...rest].join(' ')} failed.`);
      return done.code;
    }
  }
  return (await runChild(process.execPath, ['apps/spreadsheets/dist/demo.js', ...args])).code;
}
