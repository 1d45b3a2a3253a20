import type { Manager } from './project.js';

/** The words of a package manager. */
interface Words {
  readonly install: string;
  /** Runs a script of package.json. What follows is the script's. */
  readonly run: string;
  /** Runs the script `test`. */
  readonly test: string;
  /** The lines of continuous integration, after Node is there. */
  readonly ci: readonly string[];
}

export const WORDS: Readonly<Record<Manager, Words>> = {
  npm: { install: 'npm install', run: 'npm run', test: 'npm test', ci: ['npm ci'] },
  pnpm: {
    install: 'pnpm install',
    run: 'pnpm run',
    test: 'pnpm test',
    ci: ['npm install --global pnpm', 'pnpm install --frozen-lockfile'],
  },
  yarn: {
    install: 'yarn install',
    run: 'yarn run',
    test: 'yarn test',
    ci: ['npm install --global corepack', 'corepack enable', 'yarn install'],
  },
  bun: {
    install: 'bun install',
    run: 'bun run',
    test: 'bun run test',
    ci: ['npm install --global bun', 'bun install --frozen-lockfile'],
  },
};

/** What follows a script, which npm keeps for itself without two dashes. */
export function scriptCall(manager: Manager, script: string, argument = ''): string {
  const dashes = manager === 'npm' && argument !== '' ? ' --' : '';
  return `${WORDS[manager].run} ${script}${dashes}${argument && ` ${argument}`}`;
}

/** The package manager that has started this process, as in `npm create rowlock`. */
export function managerOfCaller(userAgent = ''): Manager | undefined {
  return (['npm', 'pnpm', 'yarn', 'bun'] as const).find((name) => userAgent.startsWith(`${name}/`));
}
