import type { Stage } from './stage.js';

/** What one group of tests is about. */
export interface Theme {
  readonly name: string;
  readonly tests: readonly ConformanceTest[];
  /** Whether it is among the proofs: a repeat of what is no matter of claims, or long. */
  readonly isProof: boolean;
}

/** One sentence about every driver, and how it is shown to be true. */
export interface ConformanceTest {
  readonly name: string;
  readonly run: TestBody;
  /** Whether it starts no worker, so that it is the same whatever workers do with their claims. */
  readonly once: boolean;
  /** What a driver may leave out, and the test is about. A driver without it is not tested. */
  readonly about: Optional | undefined;
}

/** What a driver may leave out. */
export type Optional = 'insight';

/** A test knows the driver's contract and nothing of its transaction's type. */
export type TestBody = <Tx>(stage: Stage<Tx>) => Promise<void>;

/** What writes down a test: by `once` where it starts no worker, which is found out otherwise. */
export interface WriteTest {
  (name: string, run: TestBody): void;
  once(name: string, run: TestBody): void;
}

/** The theme again, with workers that lease what they claim, whatever their handlers say: the same must hold. */
export function leased({ name, tests }: Theme): Theme {
  return {
    name: `${name}, leased`,
    tests: tests.filter(({ once }) => !once).map((test) => ({ ...test, run: withLeases(test) })),
    isProof: false,
  };
}

/** The theme as one that takes long: a driver of a server may leave it to its proofs. */
export function proof(theme: Theme): Theme {
  return { ...theme, isProof: true };
}

/** The theme again with leases, of a subject that is no matter of claims, as a proof. */
export function leasedProof(theme: Theme): Theme {
  return proof(leased(theme));
}

function withLeases({ name, run }: ConformanceTest): TestBody {
  return async (stage) => {
    let workers = 0;
    await run({
      ...stage,
      get workersLease(): true {
        workers += 1;
        return true;
      },
    });
    if (workers === 0) throw new Error(`"${name}" starts no worker: write it down by test.once.`);
  };
}

/** A theme of what a driver may leave out. */
export function insightTheme(name: string, write: (test: WriteTest) => void): Theme {
  return theme(name, write, 'insight');
}

/**
 * Writes down a theme's tests as data, so that the list of them can be read without a database.
 *
 * @param about What all of them are about, if a driver may leave it out.
 */
export function theme(name: string, write: (test: WriteTest) => void, about?: Optional): Theme {
  const tests: ConformanceTest[] = [];
  const add = (once: boolean) => (testName: string, run: TestBody) => {
    if (tests.some((test) => test.name === testName)) throw new Error(`Two tests are named "${testName}".`);
    tests.push({ name: testName, run, once, about });
  };
  write(Object.assign(add(false), { once: add(true) }));
  return { name, tests, isProof: false };
}
