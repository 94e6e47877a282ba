/** Checks that the metrics of the program, of docs/metrics.md and of deploy/ are the same. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Declaration, METRICS } from '../../src/metrics/declarations.js';

const read = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** The names in a text, without the endings of the series of a histogram. */
function namesIn(text: string): string[] {
  const found = [...text.matchAll(/\btillhouse_\w+/g)].map(([name]) => name);
  return [
    ...new Set(found.map((name) => (name in METRICS ? name : name.replace(/_(?:bucket|sum|count)$/, '')))),
  ].sort();
}

describe('docs/metrics.md', () => {
  it('has a row with the kind, the labels and the meaning of every metric, and no other', async () => {
    const page = await read('docs/metrics.md');
    const rows = page.split('\n').filter((line) => line.startsWith('| `tillhouse_'));
    const declared = Object.entries<Declaration>(METRICS).map(
      ([name, { kind, labels = [], help }]) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    );
    expect(rows.sort()).toEqual(declared.sort());
    expect(namesIn(page)).toEqual(Object.keys(METRICS).sort());
  });
});

describe('deploy/', () => {
  it('has a dashboard that shows every metric but the version, and only labels that exist', async () => {
    const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json'));
    const expressions = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(namesIn(expressions.join('\n'))).toEqual(
      Object.keys(METRICS)
        .filter((name) => name !== 'tillhouse_info')
        .sort(),
    );
    expect(expressions.flatMap(unknownLabels)).toEqual([]);
  });

  it('has a section of docs/on-call.md for each alert, in the same order, with what it means, how to look and what to do', async () => {
    const [alerts, page] = await Promise.all([read('deploy/prometheus-alerts.yml'), read('docs/on-call.md')]);
    const sections = page.split(/^## /m).slice(1);
    const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(sections.map((text) => text.split('\n')[0])).toEqual(names);
    for (const text of sections)
      for (const part of ['**Means:**', '**Look:**', '**Do:**']) expect(text.replace(/\s+/g, ' ')).toContain(part);
    expect(namesIn(page).filter((name) => !(name in METRICS))).toEqual([]);
  });

  it('has alerts on metrics and labels that exist, each with a summary and what to do', async () => {
    const alerts = await read('deploy/prometheus-alerts.yml');
    expect(namesIn(alerts).filter((name) => !(name in METRICS))).toEqual([]);
    expect(
      [...alerts.matchAll(/^\s+expr: (?:>-\n)?([\s\S]*?)^\s+(?:for|labels):/gm)].flatMap(([, expr = '']) =>
        unknownLabels(expr),
      ),
    ).toEqual([]);
    const count = (word: string): number => alerts.match(new RegExp(`^\\s+(?:- )?${word}: `, 'gm'))?.length ?? 0;
    expect(count('alert')).toBeGreaterThan(8);
    for (const word of ['expr', 'summary', 'description', 'labels'])
      expect([word, count(word)]).toEqual([word, count('alert')]);
  });
});

/** Labels in `by (...)` and in selectors that none of the metrics of the expression has. */
function unknownLabels(expression: string): string[] {
  const known = new Set([
    ...namesIn(expression).flatMap((name) => (METRICS as Record<string, Declaration>)[name]?.labels ?? []),
    ...['le', 'job', 'instance'], // of Prometheus itself
  ]);
  const used = [
    ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ...[...expression.matchAll(/\{(\w+)=/g)].map(([, label = '']) => label),
  ];
  return used.filter((label) => !known.has(label));
}
