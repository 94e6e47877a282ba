/** Finds the processes that belong to folders. Plain JavaScript, because `after-run.mjs` runs without a build. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

/** Given several folders, it finds the processes of each with one look at all processes. */
export async function processesIn(folders, { orItsEnvironment = false } = {}) {
  const wanted = [folders].flat();
  if (wanted.length === 0) return [];
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,command=']);
    const lines = stdout.split('\n').filter((line) => wanted.some((folder) => line.includes(folder)));
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }));
  }
  const found = [];
  // Synchronously: the kernel returns the texts at once, and a promise for each of them takes eight times the CPU time.
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = read(() => readFileSync(`/proc/${name}/cmdline`, 'utf8'))
      .replaceAll('\0', ' ')
      .trim();
    const cwd = read(() => readlinkSync(`/proc/${name}/cwd`));
    const environment = orItsEnvironment ? read(() => readFileSync(`/proc/${name}/environ`, 'utf8')) : '';
    const isIn = (folder) =>
      command.includes(folder) || cwd === folder || cwd.startsWith(`${folder}/`) || environment.includes(folder);
    if (wanted.some(isIn)) found.push({ pid: Number(name), command });
  }
  return found;
}

/** Empty if the process has ended meanwhile, or belongs to another account. */
function read(file) {
  try {
    return file();
  } catch {
    return '';
  }
}
