/** The two servers. They differ in what a column can be; all statements are the same. */
export type Product = 'MySQL' | 'MariaDB';

/** Each compares to the byte and to the last blank; neither server knows the other's. */
const MYSQL_COLLATION = 'COLLATE utf8mb4_0900_bin';
const MARIADB_COLLATION = 'COLLATE utf8mb4_nopad_bin';

/**
 * MariaDB keeps JSON as text with a CHECK of its own, JSON_VALID, which knows 32 levels, and MySQL 100. A CHECK that is
 * written out takes its place: what JSON_VALID refuses is looked at by a grammar, so that broken text is refused still.
 */
export function spelledFor(product: Product, sql: string): string {
  if (product === 'MySQL') return sql;
  return sql
    .replaceAll(MYSQL_COLLATION, MARIADB_COLLATION)
    .replace("JSON_TYPE(metadata) = 'OBJECT'", "metadata REGEXP '^[[:space:]]*[{]'")
    .replace(
      /^( {2}(`?\w+`?) +JSON\b.*?)(,?)$/gm,
      (_, column: string, name: string, comma: string) =>
        `${column} CHECK (JSON_VALID(${name}) OR ${name} REGEXP '${JSON_GRAMMAR}')${comma}`,
    );
}

const JSON_GRAMMAR = [
  '(?(DEFINE)(?<gap>[[:space:]]*+)',
  String.raw`(?<text>"(?:[^"\\\\]++|\\\\.)*+")`,
  '(?<number>-?(?:0|[1-9][0-9]*+)(?:[.][0-9]++)?+(?:[eE][-+]?[0-9]++)?+)',
  '(?<pair>(?&gap)(?&text)(?&gap):(?&value))',
  '(?<object>[{](?:(?&pair)(?:,(?&pair))*+|(?&gap))[}])',
  '(?<array>[[](?:(?&value)(?:,(?&value))*+|(?&gap))[]])',
  '(?<value>(?&gap)(?>(?&object)|(?&array)|(?&text)|(?&number)|true|false|null)(?&gap)))',
  '^(?&value)$',
].join('');
