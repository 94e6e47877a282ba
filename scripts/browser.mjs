/**
 * Makes sure that there is a browser for the tests of pages: the one that TILLHOUSE_BROWSER names, one of the machine, or one
 * that is installed now. Plain JavaScript: it runs before anything is compiled.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { alone } from './alone.mjs';
import { root } from './prepare.mjs';

/** What they are called where programs are found by name. */
const COMMANDS = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  ...['microsoft-edge', 'microsoft-edge-stable'],
];

const MAC_APPLICATIONS = ['Chromium', 'Google Chrome', 'Microsoft Edge'];

const WINDOWS_PROGRAMS = [
  ['Chromium', 'Application', 'chrome.exe'],
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

const ADVICE = `No browser was found, and none could be installed. The tests of pages need Chromium, Chrome or Edge:
install one, or say where one is with TILLHOUSE_BROWSER=/path/to/its/program.`;

/** The program of a browser; undefined where only the one that playwright-core keeps for itself can be there. */
export function findBrowser() {
  const named = process.env.TILLHOUSE_BROWSER;
  if (!named) return candidates().find(works);
  if (isProgram(named)) return named;
  throw new Error(`TILLHOUSE_BROWSER names no program that can be run: ${named}`);
}

/** Installs one where there is none. Costs next to nothing where there is. */
export function ensureBrowser() {
  try {
    if (findBrowser() === undefined) alone('browser', install);
  } catch ({ message }) {
    console.error(message);
    process.exit(1);
  }
}

function install() {
  if (findBrowser() !== undefined) return; // somebody else was quicker
  if (isDebian() && isRoot() && installPackage() && findBrowser() !== undefined) return;
  if (!installOwn()) throw new Error(ADVICE);
}

function installPackage() {
  console.error('Installing a browser for the tests ...');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '--no-install-recommends', 'chromium'];
  return [['update'], install].every((args) => runs('apt-get', args, { env }));
}

/** playwright-core's own, in the user's cache: as root together with the libraries of the system that it needs. */
function installOwn() {
  const withLibraries = process.platform === 'linux' && isRoot() ? ['--with-deps'] : [];
  const installer = join(root, 'node_modules', 'playwright-core', 'cli.js');
  return runs(process.execPath, [installer, 'install', ...withLibraries, 'chromium-headless-shell']);
}

/** What it prints goes where messages go: standard output belongs to the test runner. */
function runs(program, args, options = {}) {
  return spawnSync(program, args, { stdio: ['ignore', 2, 2], ...options }).status === 0;
}

function candidates() {
  const { env, platform } = process;
  if (platform === 'win32') {
    const folders = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter(Boolean);
    return folders.flatMap((folder) => WINDOWS_PROGRAMS.map((program) => join(folder, ...program)));
  }
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const found = COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name)));
  if (platform !== 'darwin') return found;
  const places = ['/Applications', join(homedir(), 'Applications')];
  const installed = MAC_APPLICATIONS.flatMap((name) =>
    places.map((place) => join(place, `${name}.app`, 'Contents', 'MacOS', name)),
  );
  return [...installed, ...found];
}

/** Some systems have a program of this name that only says how to get one. On Windows the question would open a window. */
function works(path) {
  if (!isProgram(path)) return false;
  return process.platform === 'win32' || spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian itself: what others of its family call chromium is a pointer to a shop that a container does not have. */
function isDebian() {
  return existsSync('/etc/os-release') && /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

function isRoot() {
  return process.getuid?.() === 0;
}
