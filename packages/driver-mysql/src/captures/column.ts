/** A column of a captured table. */
export interface Column {
  readonly name: string;
  readonly type: string;
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
