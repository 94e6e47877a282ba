/** The tables of rooms in docs/ARCHITECTURE.md have a row for every folder, and none for one that does not exist. */
import { describe, expect, it } from 'vitest';
import { filesIn, readText } from './sources.js';

const PAGE = readText('docs/ARCHITECTURE.md');

/** Each table begins after this line. */
const TABLES = [
  { after: '## Rooms', folder: 'src', prefix: '' },
  { after: 'Resources in `business/`:', folder: 'src/business', prefix: '' },
  { after: '## Pages', folder: 'web', prefix: 'web/' },
] as const;

type Table = (typeof TABLES)[number];

/** The folders in the first column of a table. A row may name several. */
function rowsOf(page: string, { after, prefix }: Table): string[] {
  const [, table = ''] = page.slice(page.indexOf(`\n${after}\n`)).match(/\n\n(\|[\s\S]*?)\n\n/) ?? [];
  const cells = [...table.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  const folder = new RegExp(`\`${prefix}([\\w-]+)/\``, 'g');
  return cells.flatMap((cell) => [...cell.matchAll(folder)].map(([, name = '']) => name));
}

function foldersIn(folder: string): string[] {
  const names = filesIn(folder).flatMap((path) => (path.includes('/') ? [path.split('/')[0] ?? ''] : []));
  return [...new Set(names)].sort();
}

describe.each(TABLES)('the table of $folder/ in docs/ARCHITECTURE.md', (table) => {
  const folders = foldersIn(table.folder);

  it('has a row for every folder, and none for one that does not exist', () => {
    expect(folders.length).toBeGreaterThan(5);
    expect(rowsOf(PAGE, table).sort()).toEqual(folders);
  });

  it.each(['a missing folder', 'a folder that does not exist'])('is compared: %s', (mistake) => {
    const [first = ''] = rowsOf(PAGE, table);
    const named = `\`${table.prefix}${first}/\``;
    const start = PAGE.indexOf(`\n${table.after}\n`);
    const other = mistake === 'a missing folder' ? 'one' : `${named}, \`${table.prefix}attic/\``;
    const broken = PAGE.slice(0, start) + PAGE.slice(start).replace(`| ${named}`, `| ${other}`);
    expect(broken).not.toBe(PAGE);
    expect(rowsOf(broken, table).sort()).not.toEqual(folders);
  });
});

describe('the folders of test/api/', () => {
  it('are named like the rooms whose operations they test', () => {
    const rooms = ['src', 'src/business', 'src/access'].flatMap(foldersIn);
    const folders = foldersIn('test/api');
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((name) => !rooms.includes(name))).toEqual([]);
    expect(filesIn('test/api').filter((path) => !path.includes('/'))).toEqual([]);
  });
});
