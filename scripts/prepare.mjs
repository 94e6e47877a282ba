/** Installs dependencies and builds dist/ if missing or outdated. Plain JavaScript: it runs before dependencies exist. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const STAMP = join(root, 'dist', '.built');
const PROJECTS = ['tsconfig.build.json', 'tsconfig.types.json'];
const SOURCES = ['src', 'tsconfig.json', ...PROJECTS, 'package.json', 'package-lock.json'];
const DOCS_ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'];

export function ensureInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && modified(installed) >= modified(join(root, 'package-lock.json'))) return;
  console.error('Installing dependencies ...');
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
}

/** Whether dist/ was built from the current sources. */
export function isBuilt() {
  return existsSync(STAMP) && modified(STAMP) >= Math.max(...SOURCES.map((name) => newest(join(root, name))));
}

export function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building ...');
  build();
}

export function build() {
  const started = new Date();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  for (const project of PROJECTS) runLocal('typescript/bin/tsc', ['-p', project]);
  copyFunctions();
  const assets = join(root, 'dist', 'api', 'docs-assets');
  mkdirSync(assets, { recursive: true });
  for (const name of DOCS_ASSETS) cpSync(join(root, 'node_modules', 'swagger-ui-dist', name), join(assets, name));
  writeFileSync(STAMP, '');
  utimesSync(STAMP, started, started); // changes during the build are not part of it
}

/** The functions of the database stay beside the code that calls them. */
function copyFunctions() {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    if (name.endsWith('.sql')) cpSync(join(root, 'src', name), join(root, 'dist', name));
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

function newest(path) {
  if (!statSync(path).isDirectory()) return modified(path);
  return Math.max(modified(path), ...readdirSync(path).map((name) => newest(join(path, name))));
}
