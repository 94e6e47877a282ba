/** A machine whose clock is wrong. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { expectNothingLeft, newDataDir, newFolder, Program, Server, until } from '../support/process.js';

afterEach(expectNothingLeft);

/** The environment of a program whose clock is ahead. The database has the right time. */
async function ahead(milliseconds: number): Promise<NodeJS.ProcessEnv> {
  const file = join(await newFolder(), 'clock.cjs');
  await writeFile(file, `const now = Date.now; Date.now = () => now() + ${milliseconds};`);
  return { NODE_OPTIONS: `--require ${file}` };
}

describe('a server whose clock differs from that of PostgreSQL', () => {
  it.each([
    [75_000, '75 s ahead of'],
    [-3_600_000, '3600 s behind'],
  ])('by %i ms refuses to start, and says what to do', { timeout: 60_000 }, async (milliseconds, words) => {
    const args = ['serve', '--port', '0', '--data-dir', await newDataDir(), '--demo', 'off'];
    const program = await Program.start(args, { env: await ahead(milliseconds) });
    expect(await program.exited).toMatchObject({ code: 1 });
    expect(program.stderr).toMatch(
      new RegExp(`tillhouse: The clock of this machine is ${words} PostgreSQL's\\. Set both with a time service`),
    );
  });

  it('by some seconds warns, and shows the difference', { timeout: 60_000 }, async () => {
    const args = ['--demo', 'off', '--metrics', '0'];
    const server = await Server.start({ args, env: await ahead(5_000) });
    await until(() => server.program.stderr.includes('clock: differs from the database'));
    const [, url = ''] = /(http:\/\/[\d.:]+\/metrics)/.exec(server.program.stdout + server.program.stderr) ?? [];
    const text = await (await fetch(url)).text();
    const shown = Number(/^tillhouse_clock_difference_seconds (.*)$/m.exec(text)?.[1]);
    expect(shown).toBeGreaterThan(4.5);
    expect(shown).toBeLessThan(5.5);
    await server.stop();
  });
});
