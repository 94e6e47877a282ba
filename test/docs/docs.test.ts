/** Checks the documents: the reference matches the declarations, every operation is linked, and no link is broken. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { Refusal, type RefusalName, refusalNames } from '../../src/base/errors.js';
import { operations } from '../../src/operations.js';
import { describeAdapterApi } from '../../src/processor/adapter/openapi.js';
import { ACTIONS } from '../../src/processor/adapter/wire.js';
import { contractOperations } from '../contract/contract.js';
import { writeOperationNames } from './operation-names.js';
import { anchorOf, headingOf, writeReference } from './reference.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

async function pages(): Promise<string[]> {
  const top = (await readdir(ROOT)).filter((name) => name.endsWith('.md'));
  const below = await readdir(join(ROOT, 'docs'), { recursive: true });
  return [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
}

/** Without code blocks and inline code. */
function proseOf(markdown: string): string {
  return markdown.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
}

describe('the reference', () => {
  it('matches the declarations; `npm run docs` regenerates it', async () => {
    await expect(writeReference(operations)).toMatchFileSnapshot(join(ROOT, 'docs/api.md'));
  });

  it('has a section for each of the 41 operations, and the README links to it', async () => {
    const readme = await read('README.md');
    const unlinked = contractOperations.filter(
      (operation) => !readme.includes(`](docs/api.md#${anchorOf(headingOf(operation))})`),
    );
    expect(unlinked.map(headingOf)).toEqual([]);
  });
});

interface Content {
  readonly content: Record<string, { readonly schema?: object; readonly example?: object }>;
}

interface Call {
  readonly requestBody: Content;
  readonly responses: Record<number, Content>;
}

describe('the contract of adapters', () => {
  it('is in docs/ as the server shows it; `npm run docs` regenerates it', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const text = `${JSON.stringify(describeAdapterApi(version), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/processor.openapi.json'));
  });

  it.each(ACTIONS)('has examples of %s that its schemas allow', (action) => {
    const { paths } = describeAdapterApi('0') as { paths: Record<string, { post: Call }> };
    const call = paths[`/${action}`]?.post;
    const bodies = [call?.requestBody, call?.responses[200]];
    const ajv = new Ajv({ strict: false });
    for (const { schema, example } of bodies.map((body) => body?.content['application/json'] ?? {})) {
      expect(ajv.validate(schema ?? false, example), ajv.errorsText()).toBe(true);
    }
  });
});

describe('the names of operations in the test kit', () => {
  it('match the declarations; `npm run docs` regenerates them', async () => {
    await expect(writeOperationNames(operations)).toMatchFileSnapshot(join(ROOT, 'src/testing/operation-names.ts'));
  });
});

describe('the errors', () => {
  it.each(refusalNames)('%s is in the table as the server returns it', async (name: RefusalName) => {
    const { code = name, status, category, v1 } = new Refusal(name).meaning;
    const row = `| \`${code}\` | ${status} | ${category} | \`${v1.type}\` ${v1.status ?? status} |`;
    expect(await read('docs/errors.md')).toContain(row);
  });

  it('are all that the tables name', async () => {
    const meanings = refusalNames.map((name) => ({ code: name, ...new Refusal(name).meaning }));
    const known = new Set<string>(meanings.flatMap(({ code, category }) => [code, category]));
    for (const page of ['docs/errors.md', 'docs/decisions/0002-error-bodies.md']) {
      const rows = (await read(page)).split('\n').filter((line) => line.startsWith('|'));
      const named = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code));
      expect(named.filter((word) => !known.has(word))).toEqual([]);
    }
  });
});

describe('every link', () => {
  it('leads to an existing file and heading', async () => {
    const broken: string[] = [];
    for (const page of await pages()) {
      for (const [, target = ''] of proseOf(await read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : normalize(join(dirname(page), path));
        const text = await read(file).catch((error: NodeJS.ErrnoException) =>
          error.code === 'EISDIR' ? '' : undefined,
        );
        const headings = [...(text ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
        if (text === undefined || (anchor !== undefined && !headings.includes(anchor)))
          broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });
});
