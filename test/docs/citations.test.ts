/** Every citation of the contract and of a decision resolves, in every text of the repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import released from '../architecture/released-migrations.json' with { type: 'json' };
import { citationsIn, contractResolver, filesNamedIn, misleadingLinksIn } from './citations.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONTRACT = 'docs/contract.md';
/** They contain broken citations on purpose. */
const OWN_FILES = ['test/docs/citations.ts', 'test/docs/citations.test.ts'];

interface TextFile {
  readonly path: string;
  readonly text: string;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What git ignores, and what contains no text. */
const LEFT_OUT = /^(?:\.git|node_modules|dist|\.tillhouse)$|\.(?:tsbuildinfo|png)$/;

/** The paths of all files in a folder of the repository. */
function pathsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.test(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? pathsIn(path) : [path];
    });
}

const textFiles = (): TextFile[] =>
  pathsIn('')
    .filter((path) => !OWN_FILES.includes(path))
    .map((path) => ({ path, text: read(path) }));

const paths = pathsIn('');

const DECISIONS = 'docs/decisions';
const pages = readdirSync(join(ROOT, DECISIONS)).filter((name) => /^\d{4}-/.test(name));
const decisions = new Set(pages.map((name) => name.slice(0, 4)));
const resolves = contractResolver(read(CONTRACT));

function brokenIn({ path, text }: TextFile): string[] {
  const cited = citationsIn(text, { isContract: path === CONTRACT });
  return [
    ...cited.contract.filter((place) => !resolves(place)).map((place) => `contract ${place}`),
    ...cited.decisions.filter((number) => !decisions.has(number)).map((number) => `decision ${number}`),
    ...misleadingLinksIn(text),
  ].map((citation) => `${path}: ${citation}`);
}

/** Files that a text names and that do not exist. */
function missingFilesIn({ path, text }: TextFile): string[] {
  const exists = (named: string): boolean => paths.some((each) => each === named || each.endsWith(`/${named}`));
  return filesNamedIn(path, text)
    .filter((named) => !exists(named))
    .map((named) => `${path}: ${named}`);
}

describe('every citation', () => {
  const files = textFiles();

  it('leads to a section, rule or point of docs/contract.md, or to a page of docs/decisions/', () => {
    expect(files.flatMap(brokenIn)).toEqual([]);
  });

  it('is read, in every folder that has any', () => {
    const cited = files.map(({ path, text }) => ({ path, ...citationsIn(text) }));
    expect(cited.flatMap((file) => file.contract).length).toBeGreaterThan(250);
    expect(cited.flatMap((file) => file.decisions).length).toBeGreaterThan(500);
    const folders = cited.filter((file) => file.decisions.length > 0).map(({ path }) => path.split('/')[0]);
    expect(folders).toEqual(
      expect.arrayContaining(['README.md', 'deploy', 'docs', 'migrations', 'src', 'test', 'web']),
    );
  });

  it('of a decision can be looked up: the list of decisions has each page once', () => {
    const listed = [...read(`${DECISIONS}/README.md`).matchAll(/^\| \[\d{4}\]\(([^)]+)\)/gm)].map(([, page]) => page);
    expect(listed.sort()).toEqual(pages.sort());
  });

  it('of a file names one that exists', () => {
    // The changelog says what was, as do released migrations, which never change; and the build makes dist/.
    const past = new Set(['CHANGELOG.md', ...Object.keys(released).map((name) => `migrations/${name}`)]);
    const read = files.filter(({ path }) => !past.has(path));
    expect(read.flatMap(({ path, text }) => filesNamedIn(path, text)).length).toBeGreaterThan(100);
    expect(read.flatMap(missingFilesIn)).toEqual([]);
    expect(
      missingFilesIn({ path: 'a.md', text: 'see `docs/citations.ts`, test/docs/gone.test.ts and `docs/gone.ts`' }),
    ).toEqual(['a.md: test/docs/gone.test.ts', 'a.md: docs/gone.ts']);
    expect(missingFilesIn({ path: 'a.ts', text: "const a = 'src/gone.ts'; // as `docs/gone.ts` says" })).toEqual([
      'a.ts: docs/gone.ts',
    ]);
  });

  it('names no document that is not in the repository', () => {
    const foreign = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:spec|facts) \d[\d.]*/gi)].map(([citation]) => `${path}: ${citation}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('a citation', () => {
  it.each([
    ['a missing section', '(contract 9.9)', 'contract 9.9'],
    ['the second section of a list', '(contract 12.2, 2.9, decision 0002)', 'contract 2.9'],
    ['the section after "and"', 'contract 4.4 and 47 give the states', 'contract 47'],
    ['the section after a rule', '(contract 4.1 rule 5, 47)', 'contract 47'],
    ['the section after a word in parentheses', 'Contract 3 (Timecard) and 4.9 give', 'contract 4.9'],
    ['the end of a range of sections', 'contract 4.1 to 4.9', 'contract 4.9'],
    ['a missing rule', 'contract 4.2 rule 99.', 'contract 4.2 rule 99'],
    ['the second rule of a list', '(contract 4.2 rules 1, 99)', 'contract 4.2 rule 99'],
    ['the rule after "and"', 'contract 4.2 rules 3 and 99', 'contract 4.2 rule 99'],
    ['a rule of a second section', 'contract 4.1 rule 4, 4.2 rule 99, 4.3', 'contract 4.2 rule 99'],
    ['a rule in the next line', ' * the list (contract 4.2\n * rule 99)', 'contract 4.2 rule 99'],
    ['a missing decision', 'As decision 9999 says.', 'decision 9999'],
    ['a decision with two digits', '(decision 26)', 'decision 26'],
    ['the second decision of a list', '(decisions 0131 and 9999)', 'decision 9999'],
    ['the second decision with two digits', '(decisions 0131, 26)', 'decision 26'],
    ['the end of a range of decisions', 'decisions 0070 to 9999', 'decision 9999'],
    ['a decision in the next line', '-- what fails (decision\n-- 9999)', 'decision 9999'],
    ['a link to another decision', 'see [0002](0003-refusals-by-state.md)', '[0002](0003-refusals-by-state.md)'],
  ])('is found to be broken: %s', (_, text, broken) => {
    expect(brokenIn({ path: 'a.ts', text })).toEqual([`a.ts: ${broken}`]);
  });

  it.each([
    '(contract 4.1 rule 4, 4.2 rule 1, 4.3 rule 2, 16.7)',
    'contract 4.2 rules 1 to 3, and contract 28.11',
    'Contract 3 (Payment) and 16.1 give the main states.',
    'contract 9 from 2020-02-26, retired 2021-02-26',
    'as contract 8 and decision 0009 specify',
    'decisions 0020, 0052 and 0104',
    'the contract\n\n99. is a point of a list',
    '[decision 0103](docs/decisions/0103-beyond-the-contract.md)',
  ])('is found to be correct: %s', (text) => {
    expect(brokenIn({ path: 'a.ts', text })).toEqual([]);
  });

  it('of its own sections is found in the contract', () => {
    expect(brokenIn({ path: CONTRACT, text: 'Sections 16 and 47, and section 4.3 rule 99.' })).toEqual([
      `${CONTRACT}: contract 47`,
      `${CONTRACT}: contract 4.3 rule 99`,
    ]);
  });
});
