import { type Capture, defineCapture, definePlugin, type Plugin, type Rowlock } from '@rowlock/core';
import type { CaptureOptions } from '@rowlock/core/types';
import { expect } from 'vitest';
import type { JobRow } from './driver-harness.js';
import type { Stage } from './stage.js';
import { clientOf } from './worker-process.js';

type Column = 'note' | 'amount';

/** A table that an application owns, and captures of it. */
export interface CapturedTable<Tx> {
  /** The table's name. Its columns are id, part, owner, status, note and amount. */
  readonly name: string;
  readonly captures: readonly Capture[];
  readonly plugin: Plugin<Tx>;
  readonly rowlock: Rowlock<Tx>;
  /** Runs a statement with the plain client. `%` stands for the table. */
  exec(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The jobs of the test's queue that are not settled, as their rows. */
  jobs(): Promise<readonly JobRow[]>;
  /** Their keys and payloads, without the name of the capture. */
  changes(): Promise<readonly unknown[]>;
}

type Options = Partial<CaptureOptions<string, 'id' | 'part', Column>>;

/**
 * Makes a table with captures, and applies these. Undefined for a driver without tables, after it has refused. The table
 * is gone after the test.
 */
export async function capturedTable<Tx>(
  stage: Stage<Tx>,
  captures: readonly Options[] = [{}],
  isApplied = true,
): Promise<CapturedTable<Tx> | undefined> {
  const { reader, queue, key, driver, defer } = stage;
  const name = `t_${key.replaceAll('-', '_')}`;
  const defined = captures.map((options, place) =>
    defineCapture<string, 'id' | 'part', Column>({
      name: `${place} of ${key}`,
      table: name,
      id: ['id'],
      kind: 'work',
      queue,
      ...options,
    }),
  );
  const plugin = definePlugin<Tx>({ name: 'captures', captures: defined });
  const rowlock = clientOf(stage, [], [plugin]);
  if (driver.captures === undefined) {
    await expect(rowlock.captures.apply()).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('has no tables to capture'),
    });
    return undefined;
  }
  await reader.exec(
    `CREATE TABLE ${name} (id BIGINT NOT NULL, part INT NOT NULL DEFAULT 0, owner BIGINT, status VARCHAR(20), note TEXT, amount DECIMAL(20, 2), PRIMARY KEY (id), UNIQUE (id, part))`,
  );
  defer(() => reader.exec(`DROP TABLE ${name}`));
  defer(() => rowlock.captures.drop());
  if (isApplied) expect(await rowlock.captures.apply()).toMatchObject(defined.map(() => ({ changed: true })));
  const jobs = async (): Promise<readonly JobRow[]> =>
    (await reader.jobs(queue)).filter(({ status }) => status === 'new' || status === 'in-progress');
  return {
    name,
    captures: defined,
    plugin,
    rowlock,
    exec: (sql) => reader.exec(sql.replaceAll('%', name)),
    jobs,
    changes: async () =>
      (await jobs()).map(({ key: its, payload }) => {
        const { capture: _, ...change } = Object(payload);
        return { key: its, ...change };
      }),
  };
}
