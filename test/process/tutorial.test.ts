/** The tutorial, as it is written: its files are saved, and its commands are run in one shell. */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { joinProgram } from '../support/joined.js';
import { freePort } from '../support/ports.js';
import { environment, newFolder, Server, usedDataDir } from '../support/process.js';

/** A file that the reader saves, or commands. */
const BLOCK = /(?:Save this as `([\w.]+)`[^`]*)?```(sh|js)\n([\s\S]*?)```/g;

/** For a busy machine. */
const TIME_LIMIT_MS = 120_000;

let server: Server;

beforeAll(async () => {
  server = await Server.start({ dataDir: await usedDataDir() });
});
afterAll(() => server.stop());

/** Saves the files of the tutorial into a folder, and returns its commands. */
async function follow(folder: string): Promise<string> {
  const port = String(await freePort()); // another program may use the one of the tutorial
  const text = (await readFile(join(repository, 'docs/tutorial.md'), 'utf8')).replaceAll('3000', port);
  const commands: string[] = [];
  for (const [, name, kind, code = ''] of text.matchAll(BLOCK)) {
    if (kind === 'sh') commands.push(code);
    else if (name === undefined) throw new Error(`the tutorial does not say how to save ${code.slice(0, 60)}`);
    else await writeFile(join(folder, name), code);
  }
  return commands.join('\n');
}

describe('the tutorial', () => {
  it(
    'runs, and prints what it says',
    async () => {
      const folder = await newFolder();
      await symlink(join(await joinProgram(), 'dist'), join(folder, 'dist'));
      await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
      await symlink(server.dataDir, join(folder, '.tillhouse'));
      const script = await follow(folder);
      const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder, env: environment() });
      expect(stdout).toMatch(/"status":"PENDING"/);
      expect(stdout).toMatch(/"unprocessable_entity","message":"Payment \S+ is more than 60 days old\."/);
      expect(stdout).toMatch(/"business_name":"Experiment"/);
      expect(stdout).toContain('\n503\n503\n200\n');
      expect(stdout).toContain('\npayment.created genuine\n');
      expect(stdout).toMatch(/"application_secret": "sandbox-/);
    },
    TIME_LIMIT_MS,
  );
});
