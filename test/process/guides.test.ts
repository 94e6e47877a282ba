/** The guides, as they are written: their files are saved, and the commands of each are run in one shell. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.js';
import { buildProgram, repository } from '../support/built.js';
import { isInstalled } from '../support/installed.js';
import { freePort } from '../support/ports.js';
import { environment, newFolder } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

/** A file that the reader saves, or commands. */
const BLOCK = /(?:Save this as `([\w.]+)`[^`]*)?```(sh|js)\n([\s\S]*?)```/g;

/** For a busy machine. */
const TIME_LIMIT_MS = 240_000;

let server: ServerHere;

beforeAll(async () => {
  server = await ServerHere.start();
});
afterAll(() => server.stop());

/** Saves the files of a guide into a folder, and returns its commands. */
async function follow(guide: string, folder: string): Promise<string> {
  const port = String(await freePort()); // another program may use the one of the guide
  const text = (await readFile(join(repository, `docs/${guide}.md`), 'utf8')).replaceAll('3000', port);
  const commands: string[] = [];
  for (const [, name, kind, code = ''] of text.matchAll(BLOCK)) {
    if (kind === 'sh') commands.push(code);
    else if (name === undefined) throw new Error(`the guide does not say how to save ${code.slice(0, 60)}`);
    else await writeFile(join(folder, name), code);
  }
  return commands.join('\n');
}

/** What the reader does in a browser: signs in as the owner of the demo and allows the application, whose page is then opened. */
async function allowAsOwner(address: string): Promise<void> {
  const { dashboard } = JSON.parse(readFileSync(join(server.dataDir, 'demo.json'), 'utf8'));
  const browser = await new Browser().visit(address);
  await browser.signIn(dashboard.email, dashboard.password);
  await browser.submit({ decision: 'allow' });
  await fetch(browser.url); // the page of the application, to which the browser is sent back
}

/** Runs the commands. A line `Open ADDRESS` is for the reader's browser. Returns what is printed. */
async function run(script: string, folder: string): Promise<string> {
  const shell = spawn('bash', ['-ec', script], { cwd: folder, env: environment(), detached: true });
  const end = () => shell.pid !== undefined && endGroup(shell.pid);
  let [printed, complaints] = ['', ''];
  const opened = new Set<string>();
  shell.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  shell.stdout.on('data', (chunk) => {
    printed += chunk;
    for (const [, address = ''] of printed.matchAll(/^Open (\S+)\n/gm)) {
      if (opened.has(address)) continue;
      opened.add(address);
      allowAsOwner(address).catch((error) => {
        complaints += error;
        end(); // the program would wait forever
      });
    }
  });
  shell.once('exit', end);
  const code = await new Promise((resolve) => shell.once('close', resolve));
  expect(code, complaints + printed).toBe(0);
  return printed;
}

/** What a failed script has started in the background runs on. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing is left
  }
}

/** What each guide says that it prints. */
const GUIDES: Readonly<Record<string, readonly RegExp[]>> = {
  tutorial: [
    /"status":"PENDING"/,
    /"unprocessable_entity","message":"Payment \S+ is more than 60 days old\."/,
    /"business_name":"Experiment"/,
    /\n503\n503\n200\n/,
    /\npayment\.created genuine\n/,
    /\nA token of \S+ that expires at 20\S+\nIt reads payments, such as \S+\n/,
  ],
  webhooks: [
    /^forged: 403\n/m,
    /^payment\.created failed\n/m,
    /payment\.created done, retry 1\n/,
    /^payment\.created is known\n/m,
  ],
  oauth: [
    /\nshort-lived refresh token: true\na new refresh token: true\n/,
    /"scopes":\["PAYMENTS_READ"\]/,
    /"code":"ACCESS_TOKEN_REVOKED"/,
  ],
  errors: [/\nstatus 503\nno response\nCOMPLETED true\n$/],
};

describe.runIf(isInstalled('curl'))('a guide', () => {
  it.each(Object.keys(GUIDES))(
    'runs, and prints what it says: %s',
    async (guide) => {
      const folder = await newFolder();
      await symlink(join(await buildProgram(), 'dist'), join(folder, 'dist'));
      await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
      await symlink(server.dataDir, join(folder, '.tillhouse'));
      const printed = await run(await follow(guide, folder), folder);
      for (const expected of GUIDES[guide] ?? []) expect(printed).toMatch(expected);
    },
    TIME_LIMIT_MS,
  );
});
