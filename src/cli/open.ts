/** `tillhouse open`: prints the address of a page of the running server, and opens it in a browser if a person asks at a terminal. */
import { spawn } from 'node:child_process';
import { DATA_FLAGS, toDataDir, UsageError } from '../base/config.js';
import { readServerRecord } from '../server/server-file.js';
import { command } from './declare.js';
import { describeNotRunning } from './running-server.js';
import { isHealthy } from './status.js';

const FLAGS = {
  print: { value: '', fallback: '', isSwitch: true, about: 'only print the address' },
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

const PAGES = {
  console: '/console',
  dashboard: '/dashboard',
  register: '/register',
  docs: '/docs',
  start: '/',
} as const;

/** The program of the operating system that opens an address in the browser of the user. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export const open = command({
  name: 'open',
  summary: 'open the console, or another page, in a browser',
  usage: '[console|dashboard|register|docs|start] [--print]',
  about: 'Prints the address of a page of the running server, and opens it in a browser. Default: the console.',
  flags: FLAGS,
  takesMore: true,
  async run({ values, words: [page = 'console', extra] }) {
    const path = PAGES[page as keyof typeof PAGES] as string | undefined;
    if (path === undefined || extra !== undefined) {
      throw new UsageError(`The page must be one of ${Object.keys(PAGES).join(', ')}, not '${extra ?? page}'.`);
    }
    const dataDir = toDataDir(values);
    const record = await readServerRecord(dataDir);
    if (!record || !(await isHealthy(record.local_url))) throw new UsageError(describeNotRunning(dataDir));
    if (page === 'console' && record.mode === 'production') {
      throw new UsageError('The server runs in production mode: it has no console. Try: tillhouse open dashboard');
    }
    const url = `${record.base_url}${path}`;
    console.log(url);
    if (values.print === '' && process.stdout.isTTY) show(url);
  },
});

/** Without a browser nothing happens: the address is printed. */
function show(url: string): void {
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
