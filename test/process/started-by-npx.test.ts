/** What a server does when the npx that started it ends, and `tillhouse stop`. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newProject } from '../support/npx.js';
import {
  expectOneLine,
  migratedDataDir,
  newDataDir,
  Program,
  processesIn,
  refusesConnections,
  run,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';

let project: string;
beforeAll(async () => {
  project = await newProject();
});

async function startWithNpx(dataDir: string, ...more: string[]): Promise<Server> {
  const args = ['tillhouse', 'serve', '--port', '0', '--data-dir', dataDir, ...more];
  const env = { npm_config_cache: join(project, 'npm-cache') };
  const npx = await Program.start(args, { command: ['npx', '--offline'], cwd: project, env });
  return Server.ready(npx, dataDir);
}

const isQuiet = async (dataDir: string): Promise<boolean> => (await processesIn(dataDir)).length === 0;

describe('a sandbox that npx has started', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('ends with its PostgreSQL after a %s to npx', async (signal) => {
    const server = await startWithNpx(await migratedDataDir());
    server.program.signal(signal);
    await until(() => isQuiet(server.dataDir));
    expect(await refusesConnections(server.port)).toBe(true);
    await server.program.exited;
    if (signal === 'SIGKILL') expect(server.program.stderr).toContain('--keep lets it go on.');
  });

  it('goes on with --keep, until `tillhouse stop`', async () => {
    const server = await startWithNpx(await usedDataDir(), '--keep');
    const { pid } = await server.record();
    server.program.signal('SIGKILL');
    await until(async () => !(await processesIn(project)).some(({ command }) => command.startsWith('npm')));
    await new Promise((resolve) => setTimeout(resolve, 300)); // three times as long as it takes otherwise
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    expect((await server.record()).pid).toBe(pid);
    const stopped = await run(['stop', '--data-dir', server.dataDir]);
    expect(stopped).toMatchObject({ code: 0, stdout: `The server at ${server.baseUrl} has stopped.\n`, stderr: '' });
    expect(await processesIn(server.dataDir)).toEqual([]);
    await server.program.exited;
  });
});

describe('tillhouse stop', () => {
  it('says so if no server runs on the folder, also after one that was killed', async () => {
    const none = await run(['stop', '--data-dir', await newDataDir()]);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expectOneLine(none.stderr);
    expect(none.stderr).toContain('No Tillhouse server runs on');

    const server = await Server.start({ dataDir: await migratedDataDir() });
    await server.crash();
    expect(await run(['stop', '--data-dir', server.dataDir])).toMatchObject({
      code: 2,
      stderr: none.stderr.replace(/on \S+\./, `on ${server.dataDir}.`),
    });
    await (await Server.start({ dataDir: server.dataDir })).stop();
  });
});
