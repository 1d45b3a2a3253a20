import { execFileSync, spawnSync } from 'node:child_process';

/** Spread into `spawn` options: whom the server runs as. Empty means: as ourselves. */
export type ServerAccount = { readonly uid: number; readonly gid: number } | Record<string, never>;

/**
 * Postgres refuses to run as root. An account that exists already is borrowed, `postgres` or else `nobody`, so that
 * nothing of the machine changes.
 */
export function serverAccount(): ServerAccount {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString());
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such account: try the next.
    }
  }
  throw new Error(
    'Postgres cannot run as root, and there is no account "postgres" or "nobody" to run it as.',
  );
}

/** Whether the account can list and write that folder: every folder above must let it through, too. */
export function canWrite(account: ServerAccount, folder: string): boolean {
  if (process.platform === 'win32') return true;
  const probe = spawnSync('/bin/sh', ['-c', 'test -w "$0" && ls "$0"', folder], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  return probe.status === 0;
}

/** The first line of `<program> --version`, or undefined if the account cannot run it or read its libraries. */
export function versionAs(account: ServerAccount, program: string): string | undefined {
  const probe = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
  return probe.status === 0 ? probe.stdout.trim() : undefined;
}
