import { defineCapture } from '@rowlock/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backfill } from '../src/captures/backfill.js';
import { context } from '../src/context.js';
import type { Queryable } from '../src/query.js';
import { CaptureStage } from './capture-stage.js';

const stage = new CaptureStage();

/** Out of the search path of everybody. */
const EXTENSIONS =
  'CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA ext; CREATE EXTENSION ltree SCHEMA ext; CREATE EXTENSION isn SCHEMA ext';

describe('a backfill comes to each row once, in the order of ids of', () => {
  const TYPES: readonly (readonly [type: string, ...values: string[]])[] = [
    ['smallint', '-32768', '0', '32767'],
    ['bigint', '-9223372036854775808', '9007199254740993', '9223372036854775807'],
    ['oid', '0', '4294967295'],
    ['numeric', "'-Infinity'", "'NaN'", '1e-30', `${'9'.repeat(60)}.${'9'.repeat(60)}`],
    ['numeric(38, 0)', '-1', `${'9'.repeat(37)}7`, `${'9'.repeat(38)}`],
    ['real', "'-Infinity'", '-0.1', '0.1', '16777217', '3.4e38', "'NaN'"],
    ['double precision', "'-Infinity'", '0.1', '0.1::float8 + 0.2', '0.3', '1e308', "'NaN'"],
    ['money', '-1', '0.01', '92233720368547758.07'],
    ['boolean', 'false', 'true'],
    ['text', "''", "'a'", "'B'", "'é'", String.raw`E'a\tb\\'`, "'🚣'"],
    ['text COLLATE "C"', "''", "'a'", "'B'", "'é'"],
    ['text COLLATE app.loose', "'a'", "'B'", "'é'", "'z'"],
    ['character(5)', "''", "'a '", "'B'", String.raw`E'a\t'`],
    ['character varying(5)', "''", "'a '", "'a'", "'B'"],
    ['"char"', "''", "'a'", "'B'"],
    ['name', "'a'", "'B'"],
    ['bytea', String.raw`'\x'`, String.raw`'\x00'`, String.raw`'\xff'`],
    ['uuid', "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-4fff-bfff-ffffffffffff'"],
    ['date', "'-infinity'", "'0044-03-15 BC'", "'2026-01-01'", "'infinity'"],
    ['time', "'00:00:00.000001'", "'24:00'"],
    ['time with time zone', "'12:00+02'", "'12:00-02'", "'12:00:00.000001+15:59:59'"],
    ['timestamp(3)', "'2026-01-01 00:00:00.001'", "'infinity'"],
    ['timestamp with time zone', "'0044-03-15 BC'", "'2026-10-25 00:30:00.000001Z'", "'2026-10-25 01:30Z'"],
    ['interval', "'-1 year 3 days -04:05:06.000007'", "'40 days'", "'1 month -1 day'", "'100 hours'"],
    ['bit(3)', "B'000'", "B'101'"],
    ['bit varying', "B''", "B'0'", "B'00'"],
    ['inet', "'10.0.0.1'", "'10.0.0.1/8'", "'::1'"],
    ['cidr', "'10.0.0.0/8'", "'10.0.0.0/16'"],
    ['macaddr', "'08:00:2b:01:02:03'", "'ff:00:2b:01:02:03'"],
    ['pg_lsn', "'0/0'", "'16/B374D848'"],
    ['jsonb', "'null'", `'{"a": 1}'`, `'["a", 1.50]'`],
    ['integer[]', "'{}'", "'{1,2}'", "'{1,NULL}'", "'[0:1]={1,1}'"],
    ['int4range', "'empty'", "'[1,5)'", "'(,)'"],
    ['app.mood', "'z'", `'B "q"'`, "'a'"],
    ['ext.citext', "'a'", "'B'", "'c'"],
    ['ext.ltree', "'A.B'", "'A'", "'A.B.C'", "'B'"],
    ['ext.isbn13', "'978-0-393-04002-9'", "'978-3-16-148410-0'"],
  ];

  test.each(TYPES)('%s', async (type, ...values) => {
    if (type.startsWith('ext.')) {
      await stage.client.query(EXTENSIONS);
      onTestFinished(async () => void (await stage.client.query('DROP SCHEMA ext CASCADE')));
    }
    const rowlock = await stage.captured(
      `CREATE TYPE mood AS ENUM ('z', 'B "q"', 'a');
       CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
       CREATE TABLE t (id ${type}, part integer, PRIMARY KEY (id, part))`,
      { id: ['id', 'part'] },
    );
    const inserted = values.flatMap((value) => [`(${value}, 1)`, `(${value}, 2)`]);
    await stage.client.query(
      `SET rowlock.capture = 'off'; INSERT INTO t VALUES ${inserted.join(', ')}; RESET rowlock.capture`,
    );
    const ends = new AbortController();
    const onProgress = ({ rows }: { rows: number }): void => {
      if (rows > inserted.length) ends.abort(new Error('The backfill reads rows again.'));
    };
    await rowlock.captures.backfill('c0', { batch: 1, onProgress, signal: ends.signal });
    const ids = (await stage.payloads()).map((payload) => JSON.stringify(Object(payload).id));
    expect([ids.length, new Set(ids).size]).toEqual([inserted.length, inserted.length]);
  });

  test('a place that the server reads back as another one ends the backfill', async () => {
    await stage.captured('CREATE TABLE t (id integer PRIMARY KEY)');
    await stage.client.query('INSERT INTO t VALUES (1), (2), (3)');
    const inexact: Queryable = {
      query: (config) =>
        stage.client.query({ ...config, text: config.text.replace(/\(\$3::([^)]+)\)/, '($3::$1 - 1)') }),
    };
    const { plan } = defineCapture({ name: 'c0', table: 'app.t', id: ['id'], kind: 'k' });
    const step = (first: boolean) =>
      backfill(inexact, context('rowlock', 20_000), plan, { batch: 1, priority: 0, first });
    await stage.client.query('BEGIN');
    onTestFinished(async () => void (await stage.client.query('ROLLBACK')));
    expect(await step(true)).toMatchObject({ rows: 1, done: false });
    await expect(step(false)).rejects.toThrow('does not get beyond {"id":"1"}');
  });
});
