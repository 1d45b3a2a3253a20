/** A column of a captured table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  /** The type with its length, its digits or its members, as a statement has it. */
  readonly full: string;
  readonly notNull: boolean;
  /** Empty without characters. */
  readonly charset: string;
  readonly collation: string;
  /** Of an ENUM or a SET. */
  readonly members: readonly string[];
  /** Of a DECIMAL. */
  readonly digits: number;
  readonly scale: number;
}

export const NUMBERS: readonly string[] = [
  'tinyint',
  'smallint',
  'mediumint',
  'int',
  'bigint',
  'decimal',
  'float',
  'double',
  'bit',
  'year',
];
export const TIMES: readonly string[] = ['date', 'time', 'datetime', 'timestamp'];
export const BYTES: readonly string[] = ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'];
/** Types of MariaDB that take no other text than that of a value. */
export const CHECKED: readonly string[] = ['uuid', 'inet4', 'inet6'];
export const SHAPES: readonly string[] = [
  'geometry',
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
  'geometrycollection',
  'geomcollection',
];
