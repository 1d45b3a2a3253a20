// What npm would get: packs every published package and looks into the tarballs.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { packAll, publishedPackages } from '../tooling/tarballs/pack-all.mjs';
import { runChild } from './run-child.mjs';

const ALLOWED =
  /^(dist\/.+|migrations\/.+|dashboards\/.+|alerts\/.+|templates\/.+|README\.md|LICENSE|package\.json)$/;
const REQUIRED = ['LICENSE', 'README.md', 'package.json'];
const TOOLS = [
  (tarball) => ['publint', 'run', tarball, '--strict'],
  (tarball) => [
    'attw',
    tarball,
    '--profile',
    profileOf(tarball),
    '--no-emoji',
    '--exclude-entrypoints',
    'internal',
  ],
];
const FORBIDDEN = /\.(test|spec)\.|\.tsbuildinfo$/;

const folder = mkdtempSync(join(tmpdir(), 'rowlock-packages-'));
try {
  const tarballs = await packAll(folder);
  const faults = tarballs.flatMap(contentFaults);
  for (const tarball of tarballs)
    faults.push(...(await Promise.all(TOOLS.map((tool) => toolFaults(tarball, tool)))).flat());
  console.log(faults.join('\n') || `${tarballs.length} packages are fit to publish`);
  if (tarballs.length !== publishedPackages().length || faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function contentFaults(tarball) {
  const unpacked = join(folder, basename(tarball, '.tgz'));
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
  const own = join(unpacked, 'package');
  const files = globSync('**/*', { cwd: own, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(own, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  const fault = (text) => `${basename(tarball)}: ${text}`;
  return [
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => fault(`${file} is missing`)),
    ...files
      .filter((file) => !ALLOWED.test(file) || FORBIDDEN.test(file))
      .map((file) => fault(`${file} does not belong`)),
    ...files
      .filter((file) => file.endsWith('.js') && file.startsWith('dist/') && !isOfPage(file))
      // A file that only exports what another one has has no map.
      .filter((file) => readFileSync(join(own, file), 'utf8').includes('sourceMappingURL='))
      .filter((file) => !files.includes(`${file}.map`))
      .map((file) => fault(`${file}.map is missing`)),
    ...mapFaults(own, files).map((file) => fault(`${file} lacks its sources`)),
    ...manifestFaults(own).map((field) => fault(`package.json lacks ${field}`)),
  ];
}

/** What npm's page of a package shows, and by which a build is traced to its sources. */
function manifestFaults(own) {
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const fields = ['description', 'keywords', 'homepage', 'bugs', 'license', 'author', 'engines'];
  return [
    ...fields.filter((field) => manifest[field] === undefined),
    ...(manifest.repository?.directory?.startsWith('packages/') ? [] : ['repository.directory']),
    ...(manifest.publishConfig?.access === 'public' ? [] : ['publishConfig.access']),
    ...(manifest.publishConfig?.provenance === true ? [] : ['publishConfig.provenance']),
  ];
}

/** What Vite makes for browsers has no types and no sources. */
function isOfPage(file) {
  return file.replaceAll('\\', '/').startsWith('dist/page/');
}

/** A map has its sources in itself: the package does not have their files. */
function mapFaults(own, files) {
  return files.filter((file) => {
    if (!file.endsWith('.js.map')) return false;
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(own, file), 'utf8'));
    return sources.some((_, place) => typeof sourcesContent[place] !== 'string');
  });
}

/** Only a package that is used by tests of Vitest alone, or as a command, has no build in CommonJS. */
function profileOf(tarball) {
  const manifest = JSON.parse(
    readFileSync(join(folder, basename(tarball, '.tgz'), 'package', 'package.json'), 'utf8'),
  );
  return JSON.stringify(manifest.exports).includes('"require"') ? 'node16' : 'esm-only';
}

async function toolFaults(tarball, commandOf) {
  const [tool, ...args] = commandOf(tarball);
  const options = { shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 'pipe'] };
  const { code, output } = await runChild(join('node_modules', '.bin', tool), args, options);
  return code === 0 ? [] : [`${basename(tarball)}: ${tool}\n${output}`];
}
