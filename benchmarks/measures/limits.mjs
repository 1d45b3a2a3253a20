import { beside } from '../limits/beside.mjs';
import { cost } from '../limits/cost.mjs';
import { use } from '../limits/use.mjs';

/** What a limit costs that is not reached, how well one is used that is reached, and what its waiting jobs cost the others. */
export async function limits(stage, database) {
  const { budgetMs, databases } = stage.options;
  const parts = [];
  for (const part of [cost, use, beside])
    parts.push(await part(stage, database, budgetMs / databases.length / 3));
  const rows = Object.assign({}, ...parts.map(({ rows }) => rows));
  return { rows, text: parts.map(({ text }) => text).join('\n\n') };
}
