/** Builds the pages of /docs into dist/docs: the renderer of the API reference, and a page for each guide in docs/. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import reference from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { Marked } from 'marked';
import { compressFile } from './compress-file.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [SOURCES, PAGES, BUILT] = [join(root, 'docs'), join(root, 'web/docs'), join(root, 'dist/docs')];

/** The navigation beside each guide. Other pages of docs/ are reached by links. */
const NAVIGATION = [
  [
    'Begin',
    [
      ...['tutorial', 'model', 'console', 'testing', 'jest', 'stubs', 'record-and-replay', 'merchant-files', 'ci'],
      ...['languages/README', 'migrating'],
    ],
  ],
  ['Integrate', ['oauth', 'webhooks', 'errors', 'store', 'sync', 'surfaces']],
  ['Operate', ['production', 'processor', 'running', 'scaling', 'performance', 'metrics', 'on-call', 'traces', 'logs']],
  ['Look up', ['contract', 'glossary', 'decisions/README', 'ARCHITECTURE']],
];

/** Modules of the server that the script of the reference imports. */
const LEAVES = ['example-ids.js', 'sample-ids.js'];

/** Generated from the same declarations as the reference, which replaces it here. */
const REFERENCE = 'api.md';

await rm(BUILT, { recursive: true, force: true });
await mkdir(join(BUILT, 'guides'), { recursive: true });
await writeFile(join(BUILT, 'reference.js'), await readRenderer());
await cp(join(root, 'node_modules/@scalar/fastify-api-reference/LICENSE'), join(BUILT, 'licenses.md'));
await cp(join(PAGES, 'reference.html'), join(BUILT, 'reference.html'));
await cp(join(PAGES, 'style.css'), join(BUILT, 'style.css'));
await cp(join(PAGES, 'start.js'), join(BUILT, 'start.js'));
for (const name of LEAVES) await cp(join(root, 'dist/api', name), join(BUILT, name));
await writeGuides();
const built = await readdir(BUILT, { recursive: true });
await Promise.all(
  built.filter((name) => /\.(?:js|css|html|svg)$/.test(name)).map((name) => compressFile(join(BUILT, name))),
);

/** Requests the script of the renderer once from a plugin for servers that contains it. So its many dependencies need not be installed. */
async function readRenderer() {
  const server = fastify();
  await server.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await server.inject('/docs/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`the renderer is not where it was: ${statusCode}`);
  return body.replace(/\n\/\/# sourceMappingURL=.*$/, '');
}

async function writeGuides() {
  const names = (await readdir(SOURCES, { recursive: true })).filter(
    (name) => name.endsWith('.md') && name !== REFERENCE,
  );
  const guides = new Map();
  for (const name of names) guides.set(name.replaceAll('\\', '/'), await readFile(join(SOURCES, name), 'utf8'));
  const frame = await readFile(join(PAGES, 'guide.html'), 'utf8');
  for (const [name, text] of guides) {
    const parts = { title: titleOf(text), nav: printNavigation(name, guides), content: printGuide(name, text, guides) };
    const page = frame.replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
    const place = join(BUILT, 'guides', name.replace(/\.md$/, '.html'));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, page);
    const images = [...text.matchAll(/\]\((images\/[\w.-]+)\)/g)].map(([, image]) => image);
    for (const image of images) await cp(join(SOURCES, image), join(BUILT, image));
  }
}

function titleOf(text) {
  return escapeHtml(/^# (.+)$/m.exec(text)?.[1] ?? 'Guide');
}

function printNavigation(current, guides) {
  const link = (name) => {
    const here = `${name}.md` === current ? ' aria-current="page"' : '';
    return `<li><a href="/docs/guides/${name}"${here}>${titleOf(guides.get(`${name}.md`))}</a></li>`;
  };
  const groups = NAVIGATION.map(([title, names]) => {
    const known = names.filter((name) => guides.has(`${name}.md`));
    return `<h2>${title}</h2><ul>${known.map(link).join('')}</ul>`;
  });
  return groups.join('');
}

function printGuide(name, text, guides) {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        return `<h${depth} id="${anchorOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token) {
        const cells = (row, tag) => row.map((cell) => printCell(this.parser.parseInline(cell.tokens), tag)).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        const head = token.header.some(({ text: word }) => word !== '')
          ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
          : '';
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${rows}</tbody></table></div>`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}\n</code></pre>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = addressOf(name, href, guides);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      image({ href, text: words }) {
        return `<img src="/docs/${escapeHtml(posix.join(dirname(name), href))}" alt="${escapeHtml(words)}">`;
      },
    },
  });
  return marked.parse(text);
}

/** Prints an empty heading cell as a data cell. */
function printCell(content, tag) {
  const word = content === '' ? 'td' : tag;
  return `<${word}>${content}</${word}>`;
}

/** The page behind a link of a guide. Undefined for files that have none, such as sources. */
function addressOf(from, href, guides) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path, anchor] = href.split('#');
  const target = posix.join(posix.dirname(from), path);
  if (target === REFERENCE) return '/docs';
  if (!guides.has(target)) return undefined;
  return `/docs/guides/${target.replace(/\.md$/, '')}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** As in test/docs/reference.ts, which checks that every link leads to a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-');
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
