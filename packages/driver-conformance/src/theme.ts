import type { Stage } from './stage.js';

/** What one group of tests is about. */
export interface Theme {
  readonly name: string;
  readonly tests: readonly ConformanceTest[];
}

/** One sentence about every driver, and how it is shown to be true. */
export interface ConformanceTest {
  readonly name: string;
  readonly run: TestBody;
}

/** A test knows the driver's contract and nothing of its transaction's type. */
export type TestBody = <Tx>(stage: Stage<Tx>) => Promise<void>;

/** The theme again, with workers that lease what they claim, whatever their handlers say: the same must hold. */
export function leased({ name, tests }: Theme): Theme {
  return {
    name: `${name}, leased`,
    tests: tests.map((test) => ({ ...test, run: (stage) => test.run({ ...stage, workersLease: true }) })),
  };
}

/** Writes down a theme's tests as data, so that the list of them can be read without a database. */
export function theme(name: string, write: (test: (name: string, run: TestBody) => void) => void): Theme {
  const tests: ConformanceTest[] = [];
  write((testName, run) => {
    if (tests.some((test) => test.name === testName)) throw new Error(`Two tests are named "${testName}".`);
    tests.push({ name: testName, run });
  });
  return { name, tests };
}
