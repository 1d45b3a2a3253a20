// Every published package must be announced before its first release: a changeset says to users what it is. And what
// the changesets say must be something that `changeset version` understands.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { publishedPackages } from '../tooling/tarballs/pack-all.mjs';

const changesets = globSync('.changeset/*.md').map((file) => readFileSync(file, 'utf8'));
const announced = (name) => changesets.some((text) => text.split('---')[1]?.includes(`${name}"`));
const missing = publishedPackages().filter(({ name, version }) => version === '0.0.0' && !announced(name));
for (const { name } of missing) {
  console.error(`${name} was never released and no changeset announces it: run \`pnpm changeset\`.`);
}

// What has changed is told by comparison with the main branch, which a shallow clone may not have.
const shell = process.platform === 'win32';
const base = ['main', 'origin/main'].find(
  (branch) =>
    spawnSync('git', ['rev-parse', '--quiet', '--verify', `${branch}^{commit}`], { shell }).status === 0,
);
if (base) {
  const args = ['exec', 'changeset', 'status', `--since=${base}`];
  const status = spawnSync('pnpm', base === 'main' ? args.slice(0, 3) : args, { encoding: 'utf8', shell });
  console.log(status.stdout + status.stderr);
  if (status.status !== 0) process.exitCode = 1;
} else {
  console.log('No main branch here to compare with: only the announcements were checked.');
}
if (missing.length > 0) process.exitCode = 1;
