/** Installs packages of Debian for the tests, where that is possible: as root on Debian. Plain JavaScript, because it runs before anything is compiled. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export function canInstallPackages() {
  return isDebian() && isRoot();
}

/** Installs the first of these packages that there is, and all packages of an entry that is a list. Returns whether it is installed. */
export function installPackage(...choices) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const get = (...args) => succeeds('apt-get', args, { env });
  return get('update') && choices.some((names) => get('install', '-y', '--no-install-recommends', ...[names].flat()));
}

/** Prints to standard error: standard output belongs to the test runner. */
export function succeeds(program, args, options = {}) {
  return spawnSync(program, args, { stdio: ['ignore', 2, 2], ...options }).status === 0;
}

/** Only Debian itself: the package chromium of Ubuntu and others only installs a snap, which containers do not support. */
function isDebian() {
  return existsSync('/etc/os-release') && /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

export function isRoot() {
  return process.getuid?.() === 0;
}
