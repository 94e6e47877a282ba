/** A data folder on a full or a read-only disk, with real disks: root mounts them where only the program sees them. */
import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../support/built.js';
import { expectOneLine, newFolder, Program } from '../support/process.js';

/** A program whose own namespace has a disk at a folder. It goes with the program. */
function withDisk(folder: string, options: string, command: string): readonly [string, ...string[]] {
  return ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o ${options} tmpfs ${folder} && ${command}`];
}

async function canMount(): Promise<boolean> {
  const [program, ...args] = withDisk(await newFolder(), 'size=1m', 'true');
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return true;
  console.error('SKIPPED the tests of full disks: this user may not mount any.');
  return false;
}

async function serve(
  options: string,
): Promise<{ readonly code: number | null; readonly stderr: string; readonly dataDir: string }> {
  const folder = join(await newFolder(), 'disk');
  await mkdir(folder);
  const [main, dataDir] = [join(await buildProgram(), 'dist/main.js'), join(folder, 'data')];
  const run = `exec ${process.execPath} ${main} serve --port 0 --data-dir ${dataDir}`;
  const program = await Program.start([], { command: withDisk(folder, options, run) });
  const { code } = await program.exited;
  return { code, stderr: program.stderr, dataDir };
}

describe('a server whose data folder is', () => {
  it('on a full disk says so', async () => {
    if (!(await canMount())) return;
    const { code, stderr, dataDir } = await serve('size=8m');
    expect(code, stderr).toBe(1);
    expectOneLine(stderr);
    expect(stderr).toContain('The disk is full');
    expect(stderr).toContain(dataDir);
  });

  it('on a read-only disk says so, and what to do', async () => {
    if (!(await canMount())) return;
    const { code, stderr, dataDir } = await serve('ro');
    expect(code, stderr).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain(`${dataDir} cannot be made: its disk is read-only. Use --data-dir`);
  });
});
