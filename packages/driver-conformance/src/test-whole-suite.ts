import { expect, type RunnerTask, test } from 'vitest';
import { conformanceTests } from './conformance-tests.js';

/**
 * A test that all tests of the suite are in this file, in its order, and that none is skipped: so any two drivers have
 * the same. To be called last in the file of `describeDriver`, when all of them have run.
 */
export function testWholeSuite(): void {
  test('all tests of the suite are here, and none is skipped', ({ task }) => {
    const [suite, ...others] = task.file.tasks.filter(({ type }) => type === 'suite');
    const tests = suite === undefined ? [] : leaves(suite, []);
    expect(others).toEqual([]);
    expect(tests.map(({ name }) => name)).toEqual(conformanceTests());
    expect(tests.filter(({ task }) => task.mode !== 'run' || task.result?.state === 'skip')).toEqual([]);
  });
}

function leaves(
  task: RunnerTask,
  path: readonly string[],
): readonly { readonly name: string; readonly task: RunnerTask }[] {
  if (!('tasks' in task)) return [{ name: path.join(' > '), task }];
  return task.tasks.flatMap((each) => leaves(each, [...path, each.name]));
}
