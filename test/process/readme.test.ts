/** The first minutes with README.md, as they are written: the output of a start, its command, the addresses, and the lines for tests. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, repository } from '../support/built.js';
import { isInstalled } from '../support/installed.js';
import { environment, newFolder, processesIn, Server, until } from '../support/process.js';

const run = promisify(execFile);

let readme: string;
let server: Server;

beforeAll(async () => {
  readme = await readFile(join(repository, 'README.md'), 'utf8');
  server = await Server.start();
});
afterAll(() => server.stop());

/** A line of README.md with the folder and the address of the server. What else is left out there can be anything. */
function asPattern(line: string): RegExp {
  const known = line.replace('.../.tillhouse', server.dataDir).replaceAll('http://127.0.0.1:4000', server.baseUrl);
  const parts = known.split('...').map((part) => part.replaceAll(/[.*+?^$()[\]{}|\\/]/g, '\\$&'));
  return new RegExp(`^${parts.join('\\S*')}$`, 'm');
}

describe('README.md', () => {
  it('shows what a start prints', () => {
    const [, shown = ''] = /## After `npm start`\n\n```\n([\s\S]*?)```/.exec(readme) ?? [];
    const lines = shown.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(server.program.stdout).toMatch(asPattern(line));
  });

  it.skipIf(!isInstalled('curl'))('names a command in that output that shows the employees', async () => {
    const [, command = ''] = /^Try: (.*)$/m.exec(server.program.stdout) ?? [];
    const { stdout } = await run('sh', ['-c', command], { env: environment() });
    expect(JSON.parse(stdout).employees.length).toBeGreaterThan(10);
  });

  it('names addresses that a browser can open', async () => {
    const paths = new Set([...readme.matchAll(/<http:\/\/127\.0\.0\.1:4000([\w/.-]*)>/g)].map(([, path = '']) => path));
    expect([...paths]).toEqual(expect.arrayContaining(['', '/docs', '/register', '/console']));
    for (const path of paths) {
      const { status, headers } = await server.call('GET', path || '/', { headers: { accept: 'text/html' } });
      expect([path, status, headers['content-type']]).toEqual([path, 200, expect.stringMatching(/^text\/html/)]);
    }
  });

  it('has lines for tests that run', async () => {
    const [, code = ''] = /## In your tests\n\n```js\n([\s\S]*?)```/.exec(readme) ?? [];
    const folder = await newFolder();
    await mkdir(join(folder, 'node_modules'));
    await symlink(await buildProgram(), join(folder, 'node_modules/tillhouse'));
    await symlink(join(repository, 'node_modules/square'), join(folder, 'node_modules/square'));
    const after = `
      const now = await merchant.clock.now();
      const list = await merchant.faults.list();
      await client.locations.list();
      await tillhouse.stop();
      console.log(now > new Date(Date.now() + 60 * 86_400_000), list.length);`;
    await writeFile(join(folder, 'lines.mjs'), code + after);
    const env = environment({ XDG_CACHE_HOME: join(folder, 'cache') });
    const { stdout } = await run(process.execPath, ['lines.mjs'], { cwd: folder, env });
    expect(stdout).toBe('true 1\n');
    // The PostgreSQL that test kits share ends a moment after the last of them.
    await until(async () => (await processesIn(folder)).length === 0);
  });
});
