/** Finds the processes that belong to a folder. Plain JavaScript, because `after-run.mjs` runs without a build. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

export async function processesIn(folder, { orItsEnvironment = false } = {}) {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,command=']);
    const lines = stdout.split('\n').filter((line) => line.includes(folder));
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }));
  }
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
    const environment = orItsEnvironment ? await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '') : '';
    const isThere =
      command.includes(folder) || cwd === folder || cwd.startsWith(`${folder}/`) || environment.includes(folder);
    if (isThere && Number(name) !== process.pid) found.push({ pid: Number(name), command });
  }
  return found;
}
