/** Several processes on one data folder of the embedded PostgreSQL, and recovery from what a killed process left. */
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DataFolderInUse, shareEmbedded, startEmbedded } from '../../src/database/embedded/embedded.js';
import { isLong } from '../support/long.js';
import {
  buildEmbedded,
  clearAway,
  isAlive,
  killHard,
  later,
  livePostmasterPid,
  newDataDir,
  postmasterPid,
  readNotes,
  ServerProcess,
  storeNote,
  untilGone,
  usedDataDir,
} from './embedded-fixture.js';

afterEach(clearAway);

let module: string;
let root: string;
beforeAll(async () => {
  ({ root, module } = await buildEmbedded({ withPackages: false }));
});
afterAll(() => rm(root, { recursive: true }));

describe('startEmbedded after a crash', () => {
  it('starts with all data after the previous server was killed and left its PostgreSQL running', async () => {
    const dataDir = await usedDataDir();
    const killed = new ServerProcess({ module, dataDir });
    await storeNote(await killed.url(), 'committed');
    const left = await livePostmasterPid(dataDir);
    await killed.killHard();
    expect(await isAlive(left)).toBe(true);

    const embedded = await startEmbedded({ dataDir });
    later(() => embedded.stop());
    expect(await isAlive(left)).toBe(false);
    expect(await readNotes(embedded.url)).toEqual(['committed']);
  });

  it('starts with all data after the server and its PostgreSQL were both killed', async () => {
    const dataDir = await usedDataDir();
    const killed = new ServerProcess({ module, dataDir });
    await storeNote(await killed.url(), 'committed');
    await killed.killHard();
    await killHard(await livePostmasterPid(dataDir));

    const embedded = await startEmbedded({ dataDir });
    later(() => embedded.stop());
    expect(await readNotes(embedded.url)).toEqual(['committed']);
  });

  it('stops PostgreSQL when the process exits without stopping it', async () => {
    const dataDir = await usedDataDir();
    const server = new ServerProcess({ module, dataDir });
    await server.url();
    const pid = await livePostmasterPid(dataDir);
    await server.command('exit');
    await untilGone(pid);
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });
});

describe('startEmbedded on a folder in use', () => {
  it('refuses, names the folder and the other server, and does not affect that server', async () => {
    const dataDir = await usedDataDir();
    const first = new ServerProcess({ module, dataDir });
    const url = await first.url();
    await storeNote(url, 'kept');
    const pid = await livePostmasterPid(dataDir);

    const second = startEmbedded({ dataDir });
    await expect(second).rejects.toThrow(DataFolderInUse);
    await expect(second).rejects.toThrow(`${dataDir} is in use by a Tillhouse server (process ${first.pid})`);
    expect(await livePostmasterPid(dataDir)).toBe(pid);
    expect(await readNotes(url)).toEqual(['kept']);
  });

  it('lets exactly one of several servers win that start concurrently on an empty folder', async () => {
    const dataDir = await newDataDir();
    const servers = (isLong ? [1, 2, 3] : [1, 2]).map(() => new ServerProcess({ module, dataDir }));
    const results = await Promise.all(servers.map((server) => server.result));
    const winners = servers.filter((_, index) => results[index]?.url !== undefined);
    expect(winners).toHaveLength(1);
    for (const { url, refused } of results) {
      if (url !== undefined) await storeNote(url, 'won');
      else expect(refused).toEqual({ name: 'DataFolderInUse', message: expect.stringContaining(`${winners[0]?.pid}`) });
    }
  });

  it('lets exactly one of three servers win that find the PostgreSQL of a killed server', async () => {
    const dataDir = await usedDataDir();
    const killed = new ServerProcess({ module, dataDir });
    await storeNote(await killed.url(), 'committed');
    await killed.killHard();

    const servers = [1, 2, 3].map(() => new ServerProcess({ module, dataDir }));
    const results = await Promise.all(servers.map((server) => server.result));
    const urls = results.flatMap(({ url }) => url ?? []);
    expect(urls).toHaveLength(1);
    expect(await readNotes(urls[0] ?? '')).toEqual(['committed']);
    expect(results.filter(({ refused }) => refused?.name === 'DataFolderInUse')).toHaveLength(2);
  });
});

describe('shareEmbedded', () => {
  it('uses the PostgreSQL of a live server and leaves it running', async () => {
    const dataDir = await usedDataDir();
    const server = await startEmbedded({ dataDir });
    later(() => server.stop());
    const borrowed = await shareEmbedded({ dataDir });
    expect(borrowed.url).toBe(server.url);
    await storeNote(borrowed.url, 'by the command');
    await borrowed.stop();
    expect(await readNotes(server.url)).toEqual(['by the command']);
  });

  it('starts PostgreSQL for the command, and stops it with the command', async () => {
    const dataDir = await newDataDir();
    const borrowed = await shareEmbedded({ dataDir });
    await storeNote(borrowed.url, 'kept');
    const pid = await livePostmasterPid(dataDir);
    await borrowed.stop();
    expect(await isAlive(pid)).toBe(false);

    const again = await shareEmbedded({ dataDir });
    later(() => again.stop());
    expect(await readNotes(again.url)).toEqual(['kept']);
  });

  it('blocks a server while the command runs its own PostgreSQL', async () => {
    const dataDir = await usedDataDir();
    const borrowed = await shareEmbedded({ dataDir });
    later(() => borrowed.stop());
    await storeNote(borrowed.url, 'kept');
    const server = startEmbedded({ dataDir });
    await expect(server).rejects.toThrow(DataFolderInUse);
    await expect(server).rejects.toThrow(`is in use by a Tillhouse command (process ${process.pid})`);
    expect(await readNotes(borrowed.url)).toEqual(['kept']);
  });

  it('waits for another command that runs its own PostgreSQL', async () => {
    const dataDir = await usedDataDir();
    const first = new ServerProcess({ module, dataDir, call: 'shareEmbedded' });
    await storeNote(await first.url(), 'by the first');
    let isSecondUp = false;
    const second = shareEmbedded({ dataDir }).then((embedded) => {
      isSecondUp = true;
      return embedded;
    });
    later(async () => (await second).stop());
    expect(await readNotes(await first.url())).toEqual(['by the first']);
    expect(isSecondUp).toBe(false);
    await first.command('stop');
    expect(await readNotes((await second).url)).toEqual(['by the first']);
  });
});
