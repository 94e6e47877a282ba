/** Every citation of the contract resolves: the sections and rules that code, tests and docs cite exist in docs/contract.md. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const THIS_FILE = join('test', 'docs', 'citations.test.ts');
const FOLDERS = ['src', 'test', 'docs', 'bench', 'scripts', 'examples'];

/** "4.2 rule 4" names a rule of a section; "29.4" a section 29.4 or, where there is none, point 4 of section 29. */
function resolver(contract: string): (citation: string) => boolean {
  const sections = new Map<string, Set<string>>();
  let points = new Set<string>();
  for (const line of contract.split('\n')) {
    const section = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1];
    if (section !== undefined) {
      points = new Set();
      sections.set(section, points);
    }
    const point = /^(\d+)\. /.exec(line)?.[1];
    if (point !== undefined) points.add(point);
  }
  return (citation) => {
    const [section = '', rule] = citation.split(/ rules? /);
    if (rule !== undefined) return sections.get(section)?.has(rule) ?? false;
    const [chapter = '', point = ''] = section.split('.');
    return sections.has(section) || (sections.get(chapter)?.has(point) ?? false);
  };
}

async function textFiles(): Promise<string[]> {
  const names = await Promise.all(
    FOLDERS.map(async (folder) => {
      const below = await readdir(join(ROOT, folder), { recursive: true });
      return below.map((name) => join(folder, name));
    }),
  );
  return names
    .flat()
    .filter((name) => /\.(?:ts|tsx|mjs|md)$/.test(name) && name !== THIS_FILE && !name.includes('node_modules'));
}

describe('citations', () => {
  it('resolve for sections, rules and points, and nothing else', () => {
    const resolves = resolver('## 4. Operations\n### 4.2 Refunds\n1. First.\n2. Second.\n## 29. Seen\n1. One.\n');
    expect(['4', '4.2', '4.2 rule 2', '29.1', '29 rule 1'].filter((citation) => !resolves(citation))).toEqual([]);
    expect(['5', '4.3', '4.2 rule 3', '29.2', '4.1'].filter(resolves)).toEqual([]);
  });

  it('lead to a section, rule or point of docs/contract.md', async () => {
    const resolves = resolver(await readFile(join(ROOT, 'docs/contract.md'), 'utf8'));
    const broken: string[] = [];
    let found = 0;
    for (const file of await textFiles()) {
      const text = await readFile(join(ROOT, file), 'utf8');
      for (const [citation, place = ''] of text.matchAll(/\bcontract (\d+(?:\.\d+)?(?: rule \d+)?)/gi)) {
        found++;
        if (!resolves(place)) broken.push(`${file}: ${citation}`);
      }
    }
    expect(broken).toEqual([]);
    expect(found).toBeGreaterThan(100);
  });

  it('name no document that is not in the repository', async () => {
    const foreign: string[] = [];
    for (const file of await textFiles()) {
      const text = await readFile(join(ROOT, file), 'utf8');
      for (const [citation] of text.matchAll(/\b(?:spec|facts) \d[\d.]*/gi)) foreign.push(`${file}: ${citation}`);
    }
    expect(foreign).toEqual([]);
  });
});
