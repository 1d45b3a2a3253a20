import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They go on for minutes, and keep all workers but one busy meanwhile. */
const LONGEST = /\/(histories|leased)\.proof\.test|driver-mysql\/test\/conformance\//;

/** Each goes on for a minute or more, and waits for most of it: what is short fills the time until their end. */
const LONG = /\/conformance\/|spreadsheets\/test\/(flow|demo|browser)\.test|dashboard\/test\/browser\.test/;

/** So many files at most has a project that one worker goes through alone. */
const FEW_FILES = 12;

/**
 * A worker whose next file is of another project ends, and a new one costs a second of CPU or two. So the projects of few files come
 * while the longest files leave one worker to them: five workers at once would begin five times for each.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofProject = Object.groupBy(files, ({ project }) => project.name);
    const place = ({ moduleId, project }: TestSpecification): number => {
      if (LONGEST.test(moduleId)) return 0;
      if ((ofProject[project.name]?.length ?? 0) <= FEW_FILES) return 1;
      return LONG.test(moduleId) ? 2 : 3;
    };
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => place(one) - place(other));
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
