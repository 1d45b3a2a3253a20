import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../scripts/run-child.mjs';
import { UsageError } from './options.mjs';

/** This repository. */
export const HERE = dirname(dirname(fileURLToPath(import.meta.url)));

/** A commit of this repository in a temporary folder, installed and built. The folder is gone after `remove`, whatever happened. */
export class Checkout {
  /** Resolves with the folder, and rejects with why there is none. */
  ready;
  #parent = null;
  #isRemoved = false;

  /** @param commit What git takes for a commit, or a folder that has Rowlock's packages built, which is left as it is */
  constructor(commit) {
    this.ready = this.#open(commit);
    this.ready.catch(() => {});
  }

  async remove() {
    this.#isRemoved = true;
    // A child gets the signal that ended this, or ends by itself.
    await this.ready.catch(() => {});
    if (this.#parent === null) return;
    await runChild('git', ['worktree', 'remove', '--force', join(this.#parent, 'tree')], QUIETLY);
    rmSync(this.#parent, { recursive: true, force: true });
    await runChild('git', ['worktree', 'prune'], QUIETLY);
  }

  async #open(commit) {
    if (existsSync(join(commit, 'packages', 'core', 'dist'))) return resolve(commit);
    const found = await runChild('git', ['rev-parse', '--verify', `${commit}^{commit}`], QUIETLY);
    if (found.code !== 0)
      throw new UsageError(`There is neither a commit nor a folder with a built Rowlock at ${commit}.`);
    this.#parent = mkdtempSync(join(tmpdir(), 'rowlock-compare-'));
    const tree = join(this.#parent, 'tree');
    await this.#step(HERE, 'git', ['worktree', 'add', '--detach', tree, found.stdout.trim()]);
    await this.#step(tree, 'pnpm', ['install', '--frozen-lockfile']);
    await this.#step(tree, 'pnpm', ['exec', 'turbo', 'run', 'build', '--filter=@rowlock/driver-*...']);
    return tree;
  }

  async #step(cwd, command, args) {
    if (this.#isRemoved) throw new Error('The checkout was given up.');
    const { code, output } = await runChild(command, args, { ...QUIETLY, cwd });
    if (code !== 0) throw new Error(`${[command, ...args].join(' ')} failed in ${cwd}.\n${output}`);
  }
}

/** pnpm asks no questions, and what these write is shown only when they fail. */
const QUIETLY = { cwd: HERE, env: { ...process.env, CI: 'true' }, stdio: ['ignore', 'pipe', 'pipe'] };
