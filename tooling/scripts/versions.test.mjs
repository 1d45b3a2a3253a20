import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedPackages } from '../tarballs/pack-all.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PUBLISHED = publishedPackages();

const OLDER = '# @rowlock/core\n\n## 0.0.0\n\n### Minor Changes\n\n- As it was.\n';

/** A copy of what has versions, with three changesets and without those that wait. */
let copy;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'rowlock-versions-'));
  const config = [
    'package.json',
    'pnpm-workspace.yaml',
    '.changeset/config.json',
    '.changeset/changelog.mjs',
  ];
  const manifests = globSync('{packages,apps,tooling}/*/package.json', { cwd: ROOT });
  for (const file of [...config, ...manifests, 'benchmarks/package.json', 'examples/package.json']) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  // A version that is out already, below which the next one goes.
  writeFileSync(join(copy, 'packages/core/CHANGELOG.md'), OLDER);
  const changeset = (name, kind, text) =>
    writeFileSync(join(copy, `.changeset/${name}.md`), `---\n"@rowlock/core": ${kind}\n---\n\n${text}\n`);
  changeset('1', 'minor', 'Jobs can sing.\n\n- In parts.');
  changeset('2', 'minor', 'Changed: a call has another name.');
  changeset('3', 'patch', 'A worker stops.');
  const git = (...args) => execFileSync('git', args, { cwd: copy });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', 'all');
  execFileSync(process.execPath, [join(ROOT, 'scripts/versions.mjs')], { cwd: copy, stdio: 'ignore' });
});
afterAll(() => rmSync(copy, { recursive: true }));

const read = (path) => readFileSync(join(copy, 'packages', path), 'utf8');
const folderOf = ({ folder }) => folder.split(/[\\/]/).at(-1);

test('all packages get one version, the next', () => {
  const versions = PUBLISHED.map((each) => JSON.parse(read(`${folderOf(each)}/package.json`)).version);
  const [major, minor] = PUBLISHED[0].version.split('.').map(Number);
  expect(new Set(versions)).toEqual(new Set([`${major}.${minor + 1}.0`]));
});

test('a changelog says what was added, changed and fixed, and nothing of hashes and dependencies', () => {
  const [, newest] = /^# [^\n]*\n\n## [^\n]*\n(.*)/s.exec(read('core/CHANGELOG.md')) ?? [];
  expect(newest).toBe(`
### Added

- Jobs can sing.

  - In parts.

### Changed

- A call has another name.

### Fixed

- A worker stops.

## 0.0.0

### Minor Changes

- As it was.
`);
});

test('a package that only moves along says so', () => {
  expect(read('telemetry/CHANGELOG.md')).toContain('Nothing has changed here');
});
