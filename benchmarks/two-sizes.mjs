import { interleave } from './interleave.mjs';
import { COSTS } from './job-costs.mjs';
import { evaluate } from './report.mjs';
import { table } from './table.mjs';

/**
 * Plays each entry with few jobs and with many, the same numbers for all systems of a shape, so that the cost of a start and that of each
 * further job can be told apart.
 *
 * @param sizesOf The two numbers of jobs of an entry
 * @param play Is given an entry with its `jobs`; all of them have to be settled
 * @param warm Played once for each entry, before the rounds
 * @returns the rows of the larger size with their rates and times, and those of the costs apart
 */
export async function inTwoSizes(title, entries, rounds, { sizesOf, play, warm = async () => {} }) {
  const sized = entries.flatMap((entry) =>
    sizesOf(entry).map((jobs, place) => ({
      ...entry,
      title: `${entry.title}, ${jobs.toLocaleString('en')} jobs`,
      isSmall: place === 0,
      jobs,
    })),
  );
  const played = await interleave(title, sized, rounds, {
    prepare: (entry) => (entry.isSmall ? warm(entry) : undefined),
    play,
  });
  const few = played.filter(({ isSmall }) => isSmall);
  const many = played.filter(({ isSmall }) => !isSmall);
  return {
    few: evaluate(few, TIMES),
    many: evaluate(many, TIMES),
    apart: evaluate(
      many.map((entry, place) => apart(few[place], entry)),
      APART,
    ),
  };
}

const TIMES = {
  jobs: ({ jobs }) => jobs,
  rate: ({ rate }) => rate,
  ms: ({ fromCallMs }) => fromCallMs,
  firstMs: ({ firstMs }) => firstMs,
  ...COSTS,
};

/** What is spent: time, and time of a core by the client and by the server. In milliseconds for a result. */
const SPENT = {
  time: ({ fromCallMs }) => fromCallMs,
  client: ({ clientUs, jobs }) => (clientUs * jobs) / 1000,
  server: ({ serverUs, jobs }) => (serverUs * jobs) / 1000,
};

const APART = Object.fromEntries(
  Object.keys(SPENT).flatMap((name) => [
    [`${name} fixedMs`, (result) => result[name].fixedMs],
    [`${name} marginalUs`, (result) => result[name].marginalUs],
  ]),
);

function apart(few, many) {
  const results = many.results.map((large, round) => {
    const small = few.results[round];
    return Object.fromEntries(Object.entries(SPENT).map(([name, of]) => [name, line(of, small, large)]));
  });
  const problem = few.problem ?? many.problem;
  return { ...many, problem, results: problem === null ? results : [] };
}

/** The straight line through both. */
function line(of, small, large) {
  const marginalMs = (of(large) - of(small)) / (large.jobs - small.jobs);
  return { fixedMs: of(small) - marginalMs * small.jobs, marginalUs: marginalMs * 1000 };
}

/** The start in milliseconds beside the microseconds of each further job, medians of the rounds with the least and the most. */
export function apartTable(rows) {
  const names = Object.keys(SPENT);
  const head = ['', '', ...names.flatMap((name) => [`${name}: start`, `a job`]), ''];
  const cells = rows.map(({ system, setting, problem, metrics }) => [
    system,
    setting,
    ...names.flatMap((name) => [`${name} fixedMs`, `${name} marginalUs`].map((of) => range(metrics[of]))),
    problem ?? '',
  ]);
  return table(head, cells);
}

function range(of) {
  if (!of || Number.isNaN(of.median)) return '-';
  const [median, least, most] = [of.median, of.least, of.most].map((value) =>
    Math.round(value).toLocaleString('en'),
  );
  return `${median} (${least} to ${most})`;
}
