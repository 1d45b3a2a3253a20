import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserWorkspaceConfig } from 'vitest/config';

const root = dirname(fileURLToPath(import.meta.url));

/** What proves much and takes long stands in files of its own. `npm test` leaves them out, and `npm run proofs` runs nothing else. */
const PROOFS_ALONE = process.env.TEST_PROOFS === '1';

/** `npm test` builds all packages before it runs tests. */
const BUILT = process.env.TEST_BUILT === '1';

/**
 * What every test project shares; a package's vitest.config.ts adds its own with `mergeConfig` or not at all.
 * The files of a project share processes and what they import, so a file undoes what it does to them.
 * The packages of this repository are read from their sources, so that no build stands between an edit and its test.
 *
 * @param options.ofUser Whether the tests use the other packages as any application does. Then `npm test` gives them what is
 *   built: each of a project's processes would load hundreds of sources again, for half a second of CPU.
 */
export function testProject(name: string, { ofUser = false } = {}): UserWorkspaceConfig {
  const fromSources = ofUser && BUILT ? (folder: string) => folder === name : () => true;
  return {
    resolve: { alias: sourcesOfPackages(fromSources) },
    test: {
      name,
      include: ['{src,test}/**/*.test.ts'],
      exclude: ['**/node_modules/**', PROOFS_ALONE ? '**/!(*.proof).test.*' : '**/*.proof.test.*'],
      // Nets for what hangs: no test's outcome depends on how long they are. On two cores, beside 30 other processes, a test of 20 s
      // takes two minutes.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // A driver's is less than the 10 s after which a pool closes what idles: that would end what a test expects the driver to end.
      expect: { poll: { timeout: name.startsWith('driver-') ? 5_000 : 30_000 } },
      // A process each, because tests block their thread; not one for each file, which costs a second of CPU.
      pool: 'forks',
      isolate: false,
      // Each worker keeps a database busy as well, and most tests wait for a clock or a server: five of them fill two cores. The
      // root's own is not handed down. Proofs are busy themselves.
      maxWorkers: PROOFS_ALONE ? 3 : 5,
    },
  };
}

/** `@rowlock/x` is x/src/index.ts and `@rowlock/x/y` is x/src/y.ts, but package.json stays itself. */
function sourcesOfPackages(has: (folder: string) => boolean): { find: RegExp; replacement: string }[] {
  return globSync('{packages,tooling,apps}/*/package.json', { cwd: root }).flatMap((manifest) => {
    const { name } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
    const sources = join(root, dirname(manifest), 'src');
    if (!existsSync(sources) || !has(basename(dirname(manifest)))) return [];
    return [
      { find: new RegExp(`^${name}$`), replacement: join(sources, 'index.ts') },
      { find: new RegExp(`^${name}/(?!package\\.json$)(.*)$`), replacement: join(sources, '$1.ts') },
    ];
  });
}
