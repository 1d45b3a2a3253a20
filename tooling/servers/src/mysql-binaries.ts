import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { debianPackage } from './debian-package.js';
import type { MysqlProduct } from './mysql-product.js';
import { versionAs } from './server-account.js';

export interface MysqlBinaries {
  readonly product: MysqlProduct;
  readonly source: 'installed' | 'debian';
  readonly program: string;
  /** What comes before all other arguments. */
  readonly firstArgs: readonly string[];
  /** Folders that may hold the SQL files from which MariaDB makes its own tables. */
  readonly shareFolders: readonly string[];
}

/**
 * The server on this machine's PATH, else one fetched from Debian.
 * @throws Error when there is neither, saying what to do
 */
export async function mysqlBinaries(product: MysqlProduct): Promise<MysqlBinaries> {
  const installed = installedBinaries(product);
  if (installed) return installed;
  const help = `Start Docker, install ${product.name}'s server (${product.programs[0]} on the PATH), or set ${product.urlVariable}.`;
  let fetched: MysqlBinaries | undefined;
  try {
    fetched = await debianBinaries(product);
  } catch (cause) {
    throw new Error(`There is no ${product.name} on this machine, and fetching one failed. ${help}`, {
      cause,
    });
  }
  if (fetched) return fetched;
  throw new Error(`There is no ${product.name} on this machine. ${help}`);
}

function installedBinaries(product: MysqlProduct): MysqlBinaries | undefined {
  // Servers are often outside of a user's PATH.
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
    '/usr/libexec',
  ];
  for (const name of product.programs) {
    for (const folder of folders) {
      const program = join(folder, name);
      if (!existsSync(program)) continue;
      const version = versionAs({}, program);
      if (!version || version.includes('MariaDB') !== (product.name === 'MariaDB')) continue;
      const prefix = dirname(dirname(realpathSync(program)));
      return {
        product,
        source: 'installed',
        program,
        firstArgs: ['--no-defaults'],
        shareFolders: ['share/mariadb', 'share/mysql', 'share'].map((share) => join(prefix, share)),
      };
    }
  }
  return undefined;
}

async function debianBinaries(product: MysqlProduct): Promise<MysqlBinaries | undefined> {
  const unpacked = await debianPackage(product.debian.suite, product.debian.name);
  if (!unpacked) return undefined;
  const { root, loader, libraryPath } = unpacked;
  const share = join(root, 'usr/share/mysql');
  return {
    product,
    source: 'debian',
    program: loader,
    firstArgs: [
      '--library-path',
      `${libraryPath}:${join(root, 'usr/lib/mysql/private')}`,
      join(root, product.debian.program),
      '--no-defaults',
      `--lc-messages-dir=${share}`,
      `--character-sets-dir=${join(share, 'charsets')}`,
      `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    ],
    shareFolders: [share],
  };
}
