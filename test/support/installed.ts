/** Programs that most machines have, but Tillhouse does not need. */
import { spawnSync } from 'node:child_process';

/** Tests of code for such a program are skipped on a machine without it. */
export function isInstalled(program: 'curl' | 'python3' | 'systemd-analyze' | 'systemd-notify'): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
