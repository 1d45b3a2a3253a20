/** The two servers, whose columns differ in their types, and whose statements are the same. */
export type Product = 'MySQL' | 'MariaDB';

/** Each collation compares every byte and every trailing blank. Neither server has the other's. */
const MYSQL_COLLATION = 'COLLATE utf8mb4_0900_bin';
const MARIADB_COLLATION = 'COLLATE utf8mb4_nopad_bin';

/**
 * Migrations are written for MySQL. MariaDB stores JSON as text, with a CHECK that accepts text which is no JSON (`[-]`, `"\x"`) and
 * refuses JSON of more than 32 levels. A grammar replaces that CHECK.
 *
 * MariaDB 10.11 may take the value of a virtual column from another row, so that a statement leaves rows out. Stored columns take their
 * place.
 */
export function spelledFor(product: Product, sql: string): string {
  if (product === 'MySQL') return sql;
  return sql
    .replaceAll(MYSQL_COLLATION, MARIADB_COLLATION)
    .replace(/ VIRTUAL(,?)$/gm, ' STORED$1')
    .replace("JSON_TYPE(metadata) = 'OBJECT'", `metadata REGEXP ${literal(`\\A${GAP}[{]`)}`)
    .replace(
      /^( {2}(`?\w+`?) +JSON\b.*?)(,?)$/gm,
      (_, column: string, name: string, comma: string) =>
        `${column} CHECK (${name} REGEXP ${literal(JSON_TEXT)})${comma}`,
    );
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\')}'`;
}

// The grammar of RFC 8259, except that half a surrogate pair is refused, as MySQL does. Every repetition is possessive: any text is
// read once, and no setting of the session changes the meaning of the expression.
const GAP = String.raw`[ \t\n\r]*+`;
const ESCAPE = String.raw`\\(?>["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})`;
const TEXT = String.raw`"(?>[^"\\\x00-\x1f]++|${ESCAPE})*+"`;
const NUMBER = '-?+(?>0|[1-9][0-9]*+)(?>[.][0-9]++)?+(?>[eE][-+]?+[0-9]++)?+';
const PAIR = `${GAP}${TEXT}${GAP}:(?1)`;
const OBJECT = `[{](?>${GAP}[}]|${PAIR}(?>,${PAIR})*+[}])`;
const ARRAY = `[[](?>${GAP}[]]|(?1)(?>,(?1))*+[]])`;

/**
 * PCRE, in which `(?1)` is the first group again. A level costs PCRE 3 to 10 of its depth, so 199 levels are accepted and 700 are
 * refused. Without a limit the time would grow with the square of the levels: 10,000 took 10 s.
 */
const JSON_TEXT = String.raw`(*LIMIT_DEPTH=2000)\A(${GAP}(?>${OBJECT}|${ARRAY}|${TEXT}|${NUMBER}|true|false|null)${GAP})\z`;
