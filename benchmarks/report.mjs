import { ratio, spread } from './statistics.mjs';

/**
 * What the rounds of the entries say.
 *
 * @param metrics By name, what of a round's result is looked at
 * @returns for each entry its system, setting and, by metric, the spread of the rounds and the ratios to Rowlock and to bare SQL
 */
export function evaluate(entries, metrics) {
  return entries.map((entry) => {
    const { system, setting, results, problem } = entry;
    const rowlock = reference(entries, 'Rowlock', setting.shape);
    const bare = reference(entries, 'bare SQL', setting.shape);
    const values = Object.entries(metrics).map(([name, of]) => {
      const own = results.map(of);
      if (own.length === 0) return [name, null];
      const to = (other) => (other === undefined ? null : ratio(own, other.results.map(of)));
      return [name, { ...spread(own), toRowlock: to(rowlock), toBare: to(bare), rounds: own }];
    });
    return {
      system: system.name,
      setting: setting.name,
      shape: setting.shape,
      isPeer: system.isPeer === true,
      problem,
      metrics: Object.fromEntries(values),
    };
  });
}

/** The setting that others of its shape are compared with. */
function reference(entries, name, shape) {
  const own = entries.filter(({ system, problem }) => system.name === name && problem === null);
  const alike = own.filter(({ setting }) => setting.shape === shape);
  return (
    alike.find(({ setting }) => setting.reference) ??
    alike[0] ??
    own.find(({ setting }) => setting.reference) ??
    own[0]
  );
}
