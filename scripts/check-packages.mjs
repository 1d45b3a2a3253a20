// What npm would get: packs every published package and looks into the tarballs.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packAll, publishedPackages } from '../tooling/tarballs/pack-all.mjs';

const ALLOWED = /^(dist\/.+|migrations\/.+|dashboards\/.+|alerts\/.+|README\.md|LICENSE|package\.json)$/;
const REQUIRED = ['LICENSE', 'README.md', 'package.json'];
const FORBIDDEN = /\.(test|spec)\.|\.tsbuildinfo$/;

const folder = mkdtempSync(join(tmpdir(), 'rowlock-packages-'));
try {
  const tarballs = await packAll(folder);
  const faults = [
    ...publishedPackages().flatMap(leftOverFaults),
    ...tarballs.flatMap((tarball) => [...contentFaults(tarball), ...toolFaults(tarball)]),
  ];
  console.log(faults.join('\n') || `${tarballs.length} packages are fit to publish`);
  if (tarballs.length !== publishedPackages().length || faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function contentFaults(tarball) {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const files = listed.map((path) => path.replace(/^package\//, ''));
  const fault = (text) => `${basename(tarball)}: ${text}`;
  return [
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => fault(`${file} is missing`)),
    ...files
      .filter((file) => !ALLOWED.test(file) || FORBIDDEN.test(file))
      .map((file) => fault(`${file} does not belong`)),
    ...files
      .filter((file) => file.endsWith('.js') && file.startsWith('dist/') && !isOfPage(file))
      .flatMap((file) => [`${file}.map`, file.replace(/\.js$/, '.d.ts')])
      .filter((file) => !files.includes(file))
      .map((file) => fault(`${file} is missing`)),
    ...mapFaults(tarball, files).map((file) => fault(`${file} lacks its sources`)),
  ];
}

/** What Vite makes for browsers has no types and no sources. */
function isOfPage(file) {
  return file.replaceAll('\\', '/').startsWith('dist/page/');
}

/** A map has its sources in itself: the package does not have their files. */
function mapFaults(tarball, files) {
  return files.filter((file) => {
    if (!file.endsWith('.js.map')) return false;
    const map = execFileSync('tar', ['-xzOf', tarball, `package/${file}`], { encoding: 'utf8' });
    const { sources, sourcesContent = [] } = JSON.parse(map);
    return sources.some((_, place) => typeof sourcesContent[place] !== 'string');
  });
}

/** The compiler does not remove what it made of a source that is gone. */
function leftOverFaults({ name, folder }) {
  return globSync('dist/**/*.js', { cwd: folder })
    .filter((file) => !isOfPage(file))
    .filter((file) => !existsSync(join(folder, file.replace(/^dist/, 'src').replace(/\.js$/, '.ts'))))
    .map((file) => `${name}: ${file} has no source any more. Delete dist and build again.`);
}

function toolFaults(tarball) {
  return [
    ['publint', 'run', tarball, '--strict'],
    ['attw', tarball, '--profile', 'esm-only', '--no-emoji'],
  ].flatMap(([tool, ...args]) => {
    const shell = process.platform === 'win32';
    const { status, stdout, stderr } = spawnSync('pnpm', ['exec', tool, ...args], {
      encoding: 'utf8',
      shell,
    });
    return status === 0 ? [] : [`${basename(tarball)}: ${tool}\n${stdout}${stderr}`];
  });
}
