/**
 * Finds a browser for the tests of pages (TILLHOUSE_BROWSER, or one that is installed), and installs one if there is none.
 * Plain JavaScript, because it runs before anything is compiled.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackage, isRoot, succeeds } from './debian.mjs';
import { root } from './prepare.mjs';
import { runExclusively } from './run-exclusively.mjs';

/** The packages of Debian that have a browser. The first has no windows, so it takes half of the CPU time; older systems lack it. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];

/** Names of programs on PATH. */
const COMMANDS = [
  ...[...PACKAGES, 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  ...['microsoft-edge', 'microsoft-edge-stable'],
];

const MAC_APPLICATIONS = ['Chromium', 'Google Chrome', 'Microsoft Edge'];

const WINDOWS_PROGRAMS = [
  ['Chromium', 'Application', 'chrome.exe'],
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

const ADVICE = `No browser was found, and none could be installed. The tests of pages need Chromium, Chrome or Edge:
install one, or set TILLHOUSE_BROWSER=/path/to/its/program.`;

/** Returns the path of a browser; undefined if there is none, or only one in playwright-core's own cache. */
export function findBrowser() {
  const named = process.env.TILLHOUSE_BROWSER;
  if (!named) return candidates().find(works);
  if (isProgram(named)) return named;
  throw new Error(`TILLHOUSE_BROWSER is not an executable program: ${named}`);
}

/** Installs a browser if there is none. */
export function ensureBrowser() {
  try {
    if (findBrowser() === undefined) runExclusively('browser', install);
  } catch ({ message }) {
    console.error(message);
    process.exit(1);
  }
}

function install() {
  if (findBrowser() !== undefined) return; // another process has installed one
  console.error('Installing a browser for the tests ...');
  if (canInstallPackages() && installPackage(...PACKAGES) && findBrowser() !== undefined) return;
  if (!installFromPlaywright()) throw new Error(ADVICE);
}

/** Installs the browser of playwright-core in the user's cache; as root also the system libraries that it needs. */
function installFromPlaywright() {
  const withLibraries = process.platform === 'linux' && isRoot() ? ['--with-deps'] : [];
  const installer = join(root, 'node_modules', 'playwright-core', 'cli.js');
  return succeeds(process.execPath, [installer, 'install', ...withLibraries, 'chromium-headless-shell']);
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

/** Some systems have a program of this name that only prints how to install one. On Windows, `--version` opens a window. */
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
