/** The guides and the reference as Markdown, and `/llms.txt`, which lists them for programs that read documentation. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFile, type WebFile } from './web-files.js';

/** The same folder for the compiled server and for tests. The package contains it. */
const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url));
const MARKDOWN = 'text/markdown; charset=utf-8';
/** Beside each other, so that the links between them work. */
const PLACE = '/docs/guides';

/** What somebody reads who writes a program, in this order. The rest is listed after it. */
const FIRST = [
  'tutorial',
  'model',
  'api',
  'testing',
  'console',
  'webhooks',
  'oauth',
  'errors',
  'surfaces',
  'sync',
  'ci',
  'languages/README',
];
const SUMMARY =
  'A server for the business data of merchants, wire-compatible with an API that the npm packages square-connect and square call: ' +
  'employees, timecards, cash drawers, payments, refunds, online orders and settlements. A sandbox has merchants in milliseconds, ' +
  'movable clocks and faults.';

interface Guide {
  /** The path below docs/ without its ending, such as `decisions/0080-faults`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** All guides, and the reference. */
function readGuides(): readonly Guide[] {
  return listNames(FOLDER).map((name) => {
    const text = readFileSync(join(FOLDER, `${name}.md`), 'utf8');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
}

function listNames(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(sep, '/'));
  return files.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
}

/** By address. Each file is read when it is asked for first. */
export function markdownFiles(): ReadonlyMap<string, WebFile> {
  return new Map(
    listNames(FOLDER).map((name) => {
      const address = `${PLACE}/${name}.md`;
      return [address, generatedFile(address, MARKDOWN, () => readFile(join(FOLDER, `${name}.md`), 'utf8'))];
    }),
  );
}

export function guideList(): WebFile {
  return generatedFile('/llms.txt', 'text/plain; charset=utf-8', async () => printList(readGuides()));
}

/** In the format of llmstxt.org: a title, a summary, and lists of links with what is behind each. */
function printList(guides: readonly Guide[]): string {
  const byName = new Map(guides.map((guide) => [guide.name, guide]));
  const first = FIRST.flatMap((name) => byName.get(name) ?? []);
  const [decisions, rest] = [guides.filter(isDecision), guides.filter((guide) => !isDecision(guide))];
  const others = rest.filter(({ name }) => !FIRST.includes(name));
  const sections = [
    ['Guides and reference', first],
    ['More guides', others],
    ['Optional', decisions],
  ] as const;
  const openApi = '- [OpenAPI 3.1](/openapi.json): every operation with its schemas and an example';
  const printed = sections.map(([title, list], index) =>
    [`## ${title}`, '', ...(index === 0 ? [openApi] : []), ...list.map(printLink)].join('\n'),
  );
  return `${['# Tillhouse', `> ${SUMMARY}`, ...printed].join('\n\n')}\n`;
}

function isDecision({ name }: Guide): boolean {
  return name.startsWith('decisions/');
}

function printLink(guide: Guide): string {
  const { name, title, text } = guide;
  const about = isDecision(guide) ? undefined : firstSentence(text);
  return `- [${title}](${PLACE}/${name}.md)${about === undefined ? '' : `: ${about}`}`;
}

/** Of the first paragraph, as plain text. */
function firstSentence(text: string): string | undefined {
  const paragraph = text.split(/\n\n+/).find((part) => /^[A-Z`[]/.test(part));
  const plain = paragraph?.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return plain && /^.*?[.:](?= |$)/.exec(plain)?.[0];
}
