/** Installs dependencies, and builds the server and the pages if missing or outdated. Plain JavaScript: it runs before dependencies exist. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const DIST = join(root, 'dist');
const STAMP = join(DIST, '.built');
const PAGES = join(DIST, 'pages');
const PAGES_STAMP = join(PAGES, '.built');
const PROJECTS = ['tsconfig.build.json', 'tsconfig.types.json'];
const COMMON = ['tsconfig.json', 'package.json', 'package-lock.json'];
const SOURCES = ['src', 'docs', 'web/docs', 'scripts/docs-pages.mjs', ...PROJECTS, ...COMMON];
/** Pages use the leaves of the server, and names, methods and paths of its operations. */
const PAGE_SOURCES = ['web', 'src/base', 'src/business/receipts/model.ts', ...COMMON];
const OPERATIONS = /[./]operations\.ts$/;

export function ensureInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && modified(installed) >= modified(join(root, 'package-lock.json'))) return;
  console.error('Installing dependencies ...');
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
}

/** Whether dist/ was built from the current sources. */
export function isBuilt() {
  return isServerBuilt() && arePagesBuilt();
}

function isServerBuilt() {
  return isNewer(STAMP, SOURCES);
}

function arePagesBuilt() {
  return isNewer(PAGES_STAMP, PAGE_SOURCES) && modified(PAGES_STAMP) >= newest(join(root, 'src'), OPERATIONS);
}

function isNewer(stamp, names) {
  return existsSync(stamp) && modified(stamp) >= Math.max(...names.map((name) => newest(join(root, name))));
}

export function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building ...');
  if (!isServerBuilt()) buildServer();
  if (!arePagesBuilt()) buildPages();
}

export function build() {
  buildServer();
  buildPages();
}

function buildServer() {
  const started = new Date();
  for (const name of existsSync(DIST) ? readdirSync(DIST) : []) {
    if (join(DIST, name) !== PAGES) rmSync(join(DIST, name), { recursive: true, force: true });
  }
  for (const project of PROJECTS) runLocal('typescript/bin/tsc', ['-p', project]);
  copyData();
  run(process.execPath, [join(root, 'scripts', 'docs-pages.mjs')]);
  stamp(STAMP, started);
}

/** After the server: the pages' client is computed from its compiled operations. */
function buildPages() {
  const started = new Date();
  rmSync(PAGES_STAMP, { force: true });
  // A test that builds has another NODE_ENV, with which the pages would contain the slow development build of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  runLocal('vite/bin/vite.js', ['build', '--config', 'web/vite.config.ts'], { env });
  stamp(PAGES_STAMP, started);
}

/** Changes during the build are not part of it. */
function stamp(path, started) {
  writeFileSync(path, '');
  utimesSync(path, started, started);
}

/** Functions of the database and examples stay beside the code that uses them. */
function copyData() {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    if (/\.(?:sql|json)$/.test(name)) cpSync(join(root, 'src', name), join(DIST, name));
  }
}

/** Runs a program of an installed package with the same Node. */
export function runLocal(program, args, options = {}) {
  run(process.execPath, [join(root, 'node_modules', program), ...args], options);
}

export function run(program, args, options = {}) {
  const windows = process.platform === 'win32' && program === 'npm';
  const result = spawnSync(windows ? 'npm.cmd' : program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: windows,
    ...options,
  });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function modified(path) {
  return statSync(path).mtimeMs;
}

/** With a pattern: of the files whose path matches it. */
function newest(path, pattern) {
  if (!statSync(path).isDirectory()) return pattern === undefined || pattern.test(path) ? modified(path) : 0;
  const own = pattern === undefined ? modified(path) : 0;
  return Math.max(own, ...readdirSync(path).map((name) => newest(join(path, name), pattern)));
}
