import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { prometheus } from '../src/index.js';
import { METRICS, type Metric } from '../src/metrics/catalogue.js';
import { prometheusName } from '../src/prometheus/name.js';

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

const Dashboard = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
  templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string().optional() })) }),
});

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['info', 'warning', 'critical']) }),
          annotations: z.object({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const dashboard = Dashboard.parse(JSON.parse(await read('dashboards/rowlock.json')));
const rules = Rules.parse(parse(await read('alerts/rowlock.yml'))).groups.flatMap((group) => group.rules);

const queries: readonly [string, string][] = [
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [`the panel ${title}`, expr]),
  ),
  ...dashboard.templating.list.flatMap(({ name, definition }): [string, string][] =>
    definition === undefined ? [] : [[`the variable ${name}`, definition]],
  ),
  ...rules.map(({ alert, expr }): [string, string] => [`the alert ${alert}`, expr]),
];

/** The metric that a name in a query is of. A histogram has three names of its own, and none without an ending. */
function metricOf(name: string): Metric | undefined {
  return METRICS.find((metric) => {
    const own = prometheusName(metric);
    if (metric.type !== 'histogram') return name === own;
    return [`${own}_bucket`, `${own}_sum`, `${own}_count`].includes(name);
  });
}

/** The metrics of a query, and the labels that it selects or sums by. */
function partsOf(query: string): { readonly names: readonly string[]; readonly labels: readonly string[] } {
  const names = query.match(/\browlock_\w+/g) ?? [];
  const selected = [...query.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
  const summed = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return { names, labels: [...selected, ...summed] };
}

test.each(queries)('%s is about metrics and labels that the package renders', async (_, query) => {
  const { names, labels } = partsOf(query);
  expect(names.length).toBeGreaterThan(0);
  const text = await prometheus().text();
  for (const name of names) {
    const metric = metricOf(name);
    if (metric === undefined) throw new Error(`There is no metric ${name}.`);
    expect(text).toContain(`# TYPE ${prometheusName(metric)} ${metric.type}\n`);
    for (const label of labels)
      expect([...metric.labels, ...(metric.type === 'histogram' ? ['le'] : [])]).toContain(label);
  }
});

test('every metric is on the dashboard', () => {
  const shown = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => partsOf(expr).names));
  const missing = METRICS.filter((metric) => !shown.some((name) => metricOf(name) === metric));
  expect(missing).toEqual([]);
});

test('every metric is on the page', async () => {
  const page = await read('../../docs/run/telemetry.md');
  for (const metric of METRICS) expect(page).toContain(`| \`${prometheusName(metric)}\` |`);
});

test('panels have ids of their own, and alerts have names of their own', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const names = rules.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
});

test('an alert names only labels that its expression keeps', () => {
  for (const { expr, annotations } of rules) {
    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? [];
    const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    for (const label of named) expect(kept).toContain(label);
  }
});
