/** Installs dependencies, and builds the server and the pages if needed. Plain JavaScript, because it runs before dependencies exist. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const DIST = join(root, 'dist');
const PROJECTS = ['tsconfig.build.json', 'tsconfig.types.json'];
const COMMON = ['tsconfig.json', 'package.json', 'package-lock.json'];

/** What is built, in this order: each part may use those before it. A part is outdated if one of its sources is newer than its stamp. */
const SERVER = {
  folder: DIST,
  sources: ['src', 'scripts/bundle.mjs', ...PROJECTS, ...COMMON],
  build: buildServer,
};
const DOCS = {
  folder: join(DIST, 'docs'),
  sources: ['docs', 'web/docs', 'scripts/docs-pages.mjs', 'src/api/example-ids.ts', 'src/api/sample-ids.ts', ...COMMON],
  build: () => run(process.execPath, [join(root, 'scripts/docs-pages.mjs')]),
};
const PAGES = {
  folder: join(DIST, 'pages'),
  // Pages import these modules of the server, and use names, methods and paths of its operations.
  sources: [
    ...['web', 'src/base', 'src/business/receipts/model.ts'],
    ...['src/api/example-ids.ts', 'src/api/sample-ids.ts'],
    ...COMMON,
  ],
  alsoSource: /[./]operations\.ts$/,
  build: buildPages,
};
/** The list of what is in the package, after everything else. */
const SBOM = {
  folder: join(DIST, 'sbom'),
  sources: ['scripts/sbom.mjs', ...SERVER.sources, ...PAGES.sources, ...DOCS.sources],
  build: () => run(process.execPath, [join(root, 'scripts/sbom.mjs')]),
};
const PARTS = [SERVER, DOCS, PAGES, SBOM];

/** Ends with one line if this Node.js is too old. Everything after it may fail with pages of errors. */
export function requireNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const oldest = engines.node.replace('>=', '');
  const [[major, minor], [oldestMajor, oldestMinor]] = [version, oldest].map((each) => each.split('.').map(Number));
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`tillhouse: Tillhouse needs Node.js ${oldest} or newer, and this is ${version}.`);
  process.exit(1);
}

export function ensureInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && modified(installed) >= modified(join(root, 'package-lock.json'))) return;
  console.error('Installing dependencies ...');
  // Without warnings: tools of the docs and the tests want a newer Node.js, but work with this one. The lock file decides what is
  // installed, so npm need not ask the registry whether its own copies are the newest: that took almost a fifth of its user CPU time.
  run('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Whether dist/ was built from the current sources. */
export function isBuilt() {
  return PARTS.every(isPartBuilt);
}

function isPartBuilt({ folder, sources, alsoSource }) {
  const stamp = stampOf(folder);
  if (!existsSync(stamp)) return false;
  const times = sources.map((name) => newest(join(root, name)));
  if (alsoSource) times.push(newest(join(root, 'src'), alsoSource));
  return modified(stamp) >= Math.max(...times);
}

export function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building ...');
  for (const part of PARTS) if (!isPartBuilt(part)) buildPart(part);
}

export function build() {
  for (const part of PARTS) buildPart(part);
}

function buildPart({ folder, build }) {
  const started = new Date();
  rmSync(stampOf(folder), { force: true });
  build();
  mkdirSync(folder, { recursive: true });
  // Changes during the build are not part of it.
  writeFileSync(stampOf(folder), '');
  utimesSync(stampOf(folder), started, started);
}

function stampOf(folder) {
  return join(folder, '.built');
}

/** Keeps the other parts, which are in the same folder. */
function buildServer() {
  const kept = [DOCS.folder, PAGES.folder, SBOM.folder];
  for (const name of existsSync(DIST) ? readdirSync(DIST) : []) {
    if (!kept.includes(join(DIST, name))) rmSync(join(DIST, name), { recursive: true, force: true });
  }
  for (const project of PROJECTS) runLocal('typescript/bin/tsc', ['-p', project]);
  copyData();
  run(process.execPath, [join(root, 'scripts/bundle.mjs')]);
}

function buildPages() {
  // A test that builds has another NODE_ENV, with which the pages would contain the slow development build of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  runLocal('vite/bin/vite.js', ['build', '--config', 'web/vite.config.ts'], { env });
}

/** What is not compiled stays beside the code that uses it: functions of the database, lists, and modules that scripts use too. */
function copyData() {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    if (/\.(?:sql|txt|mjs)$/.test(name)) cpSync(join(root, 'src', name), join(DIST, name));
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

/** With a pattern: only of files whose path matches it. Every `npm start` waits for this, so it asks about each file only once. */
function newest(path, pattern, entry = statSync(path)) {
  const own = pattern === undefined || pattern.test(path) ? modified(path) : 0;
  const isFolder = (entry.isSymbolicLink() ? statSync(path) : entry).isDirectory();
  if (!isFolder) return own;
  const entries = readdirSync(path, { withFileTypes: true });
  return Math.max(own, ...entries.map((each) => newest(join(path, each.name), pattern, each)));
}
