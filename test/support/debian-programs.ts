/** Programs from packages of Debian that tests of the second tier need. Root on Debian installs them; otherwise their tests are skipped. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackage } from '../../scripts/debian.mjs';
import { runExclusively } from '../../scripts/run-exclusively.mjs';

/** The packages of programs that have other names. */
const PACKAGES: Readonly<Record<string, string>> = { php: 'php-cli' };

/** Where Debian has programs that only root runs as a rule. Ordinary users do not have it on their PATH. */
const OF_ROOT = '/usr/sbin';

/** The path of a program, or undefined. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), OF_ROOT];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Whether all these programs are there. Missing ones are installed. If that is not possible, one line says what is skipped; in `.ci/run`,
 * which sets TILLHOUSE_NEED_PROGRAMS, it is a failure.
 */
export function ensurePrograms(names: readonly string[]): boolean {
  const missing = () => names.filter((name) => findProgram(name) === undefined);
  if (missing().length > 0 && canInstallPackages()) {
    runExclusively('packages', () => missing().length === 0 || installPackage(missing().map(packageOf)));
  }
  if (missing().length === 0) return true;
  const packages = missing().map(packageOf).join(', ');
  const message = `Not installed: ${missing().join(', ')}. Root on Debian gets them by itself; otherwise install the packages ${packages}.`;
  if (process.env['TILLHOUSE_NEED_PROGRAMS']) throw new Error(message);
  console.error(`SKIPPED the tests that need these programs. ${message}`);
  return false;
}

function packageOf(program: string): string {
  return PACKAGES[program] ?? program;
}
