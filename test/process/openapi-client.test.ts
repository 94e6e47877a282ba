/** docs/languages/openapi.md as it is written: types are generated from the server's description, and a program that uses them is run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { addProgram, newProject } from '../support/npx.js';
import { environment, migratedDataDir } from '../support/process.js';

const TIME_LIMIT_MS = 300_000;

/** The packages come from the registry of this machine, or from the cache of npm. */
const ONLINE = {
  HOME: homedir(),
  npm_config_offline: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_timeout: '20000',
};

const page = readFileSync(join(repository, 'docs/languages/openapi.md'), 'utf8');
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());

it(
  'a client that is generated from /openapi.json compiles, pays, and prints what the page says',
  async () => {
    const [folder, dataDir] = [await newProject(), await migratedDataDir()];
    const run = (command: string) =>
      spawnSync('sh', ['-ec', command.replaceAll('tillhouse exec', `tillhouse exec --data-dir ${dataDir}`)], {
        cwd: folder,
        env: environment(ONLINE),
        encoding: 'utf8',
      });
    const [install = '', ...rest] = commands;
    const installed = run(install);
    if (installed.status !== 0) {
      console.error(`SKIPPED docs/languages/openapi.md: its packages cannot be installed. ${installed.stderr}`);
      return;
    }
    await addProgram(folder);
    const [, file = '', code = ''] = /Save this as `([\w.]+)`[^`]*```ts\n([\s\S]*?)```/.exec(page) ?? [];
    await writeFile(join(folder, file), code);
    let printed = '';
    for (const command of rest) {
      const { status, stdout, stderr } = run(command);
      expect({ command, status }, stdout + stderr).toEqual({ command, status: 0 });
      printed = stdout;
    }
    const [, expected = ''] = /It prints:\n\n```\n([\s\S]*?)```/.exec(page) ?? [];
    expect(printed.endsWith(expected), printed).toBe(true);
  },
  TIME_LIMIT_MS,
);
