import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each goes on for a minute or more, and waits for most of it: what is short fills the time until their end. */
const BEGIN_FIRST =
  /histories\.proof\.test|\/conformance\/|spreadsheets\/test\/(flow|demo|browser)\.test|dashboard\/test\/browser\.test/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { first = [], others = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      BEGIN_FIRST.test(moduleId) ? 'first' : 'others',
    );
    return [...first, ...others];
  }
}

export default defineConfig({
  test: {
    projects: [
      '{packages,apps,tooling}/*/vitest.config.ts',
      'example[s]/vitest.config.ts',
      'benchmark[s]/vitest.config.ts',
      // Where it is asked for: one more server to fetch and to wait for.
      ...(process.env.TEST_MARIADB === '1' ? ['packages/{driver-mysql,rows}/vitest.mariadb.config.ts'] : []),
    ],
    globalSetup: './tooling/servers/src/vitest-setup.ts',
    teardownTimeout: 30_000,
    sequence: { sequencer: LongestFirst },
  },
});
