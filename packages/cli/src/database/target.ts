import { Misuse } from '../failure.js';

export type Engine = 'postgres' | 'mysql';

/** Where the database is, and where Rowlock lives in it. */
export interface Target {
  readonly engine: Engine;
  /** Has a password, and is never shown. */
  readonly url: string;
  /** Postgres: the schema. MySQL: the database. Default: that of the driver. */
  readonly schema: string | undefined;
}

/** By the scheme of the URL. */
const ENGINES: Readonly<Record<string, Engine>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/** The driver reads the rest of the URL. @throws Misuse, without the text: there may be a password in it. */
export function targetOf(url: string | undefined, schema: string | undefined): Target {
  if (url === undefined || url === '')
    throw new Misuse(
      'Where is the database? Set DATABASE_URL, or pass --database postgres://… or mysql://….',
    );
  const [, scheme = ''] = /^\s*([a-z]+):\/\//i.exec(url) ?? [];
  const engine = ENGINES[scheme.toLowerCase()];
  if (engine === undefined)
    throw new Misuse('The URL of the database cannot be read: it begins with postgres:// or mysql://.');
  // A secret from a file may have a blank or a line's end beside it, which the clients take for a part.
  return { engine, url: url.trim(), schema };
}
