import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, type RunnerTask, test } from 'vitest';
import { conformanceTests } from './conformance-tests.js';
import { nameOf, PROOFS, type SuitePart } from './suite-part.js';

/**
 * A test that all tests of the suite are in this file, in its order, and that none is skipped without a reason: so any two
 * drivers have the same. To be called last in the file of `describeDriver`, when all of them have run.
 *
 * @param part The part that this file runs, where the suite is run in parts. The file is then named after its part
 * (`2-of-3.test.ts`), and the test fails when the file of another part is not beside it, nor that of the proofs which the
 * parts leave out.
 */
export function testWholeSuite(part?: SuitePart): void {
  test('all tests of the suite are here, and none is skipped without a reason', ({ task }) => {
    const [suite, ...others] = task.file.tasks.filter(({ type }) => type === 'suite');
    const tests = suite === undefined ? [] : leaves(suite, []);
    expect(others).toEqual([]);
    expect(tests.map(({ name }) => name)).toEqual(conformanceTests(part));
    const skipped = tests.filter(({ task }) => task.mode !== 'run' || task.result?.state === 'skip');
    expect(skipped.filter(({ task }) => reasonOf(task) === undefined)).toEqual([]);
    if (part !== undefined) expect(filesMissing(task.file.filepath, part)).toEqual([]);
  });
}

/** The files that each part of the suite must have, in the folder of this one, and that are not there. */
function filesMissing(file: string, part: SuitePart): readonly string[] {
  const own = basename(file);
  const numbers = Array.from({ length: part.of }, (_, place) => place + 1);
  const parts = numbers.map((number) => own.replace(nameOf(part), nameOf({ ...part, number })));
  const files = part.proofs === 'none' ? [...parts, PROOFS] : parts;
  const isNamed = part.of === 1 || own.includes(nameOf(part));
  return files.filter((name) => !existsSync(join(dirname(file), name)) || !isNamed);
}

/** What `skip` was given. Vitest keeps it, and its types have it not. */
function reasonOf({ result }: RunnerTask): unknown {
  return Reflect.get(Object(result), 'note');
}

function leaves(
  task: RunnerTask,
  path: readonly string[],
): readonly { readonly name: string; readonly task: RunnerTask }[] {
  if (!('tasks' in task)) return [{ name: path.join(' > '), task }];
  return task.tasks.flatMap((each) => leaves(each, [...path, each.name]));
}
