/** The embedded PostgreSQL under root, as which it must not run, and under ordinary accounts. */
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { superuserUrl } from '../support/superuser.js';
import {
  answersAgain,
  buildEmbedded,
  clearAway,
  connect,
  livePostmasterPid,
  newDataDir,
  openToAll,
  platformPackage,
  readNotes,
  ServerProcess,
  storeNote,
  usedDataDir,
} from './embedded-fixture.js';

afterEach(clearAway);

const isRoot = process.getuid?.() === 0;
/** The account `nobody` of Debian and most other systems. */
const NOBODY = 65_534;

let module: string;
let root: string;
beforeAll(async () => {
  if (isRoot) ({ root, module } = await buildEmbedded({ withPackages: true }));
});
afterAll(async () => {
  if (isRoot) await rm(root, { recursive: true });
});

describe('an embedded PostgreSQL started by root (needs root)', () => {
  it.skipIf(!isRoot)('works when only root may enter the folders of the checkout and of the data', async () => {
    const dataDir = await newDataDir();
    await chmod(root, 0o700);
    expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700);
    const server = new ServerProcess({ module, dataDir });
    const sql = connect(await superuserUrl(await server.url(), dataDir));
    const pid = await livePostmasterPid(dataDir);
    expect((await stat(`/proc/${pid}`)).uid).not.toBe(0);

    // After a crash of one of its processes PostgreSQL ends all others, recovers and continues.
    await sql`create table numbers as select n from generate_series(1, 200000) as n`;
    const [victim] = await sql<
      { pid: number }[]
    >`select pid from pg_stat_activity where backend_type = 'background writer'`;
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    await sql`select pg_sleep(60)`.catch(() => {});
    await answersAgain(sql);
    expect(await livePostmasterPid(dataDir)).toBe(pid);

    // PostgreSQL writes its configuration and reads it again.
    await sql`alter system set work_mem = '5MB'`;
    await sql`select pg_reload_conf()`;
    while ((await sql`show work_mem`)[0]?.['work_mem'] !== '5MB') await sleep(20);
    expect(await sql`select sourcefile, error from pg_file_settings where error is not null`).toEqual([]);

    // Parallel workers and I/O workers run.
    const counted = await sql.begin(async (tx) => {
      await tx`set local parallel_setup_cost = 0`;
      await tx`set local parallel_tuple_cost = 0`;
      await tx`set local min_parallel_table_scan_size = 0`;
      const plan = await tx`explain (analyze, costs off, timing off) select count(*) from numbers`;
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Workers Launched: [1-9]/);
      return tx<{ count: string }[]>`select count(*) from numbers`;
    });
    expect(counted[0]?.count).toBe('200000');
    const workers = await sql`select 1 from pg_stat_activity where backend_type = 'io worker'`;
    expect(workers.length).toBeGreaterThan(0);

    await server.command('stop');
    const again = new ServerProcess({ module, dataDir });
    const superuser = connect(await superuserUrl(await again.url(), dataDir));
    expect(await superuser`select count(*) from numbers`).toEqual([{ count: '200000' }]);
  });

  it.skipIf(!isRoot)(
    'runs as the account that owns the cluster, and changes the owner of a cluster that belongs to root',
    async () => {
      const dataDir = await usedDataDir();
      const folder = join(dataDir, 'postgres');
      const first = new ServerProcess({ module, dataDir });
      await storeNote(await first.url(), 'kept');
      await first.command('stop');
      const { uid } = await stat(folder);
      for (const path of ['', ...(await readdir(folder, { recursive: true }))]) await chown(join(folder, path), 0, 0);

      const second = new ServerProcess({ module, dataDir });
      expect(await readNotes(await second.url())).toEqual(['kept']);
      expect((await stat(folder)).uid).toBe(uid);
      await second.command('stop');

      for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
        await chown(join(folder, path), NOBODY, NOBODY);
      }
      const third = new ServerProcess({ module, dataDir });
      expect(await readNotes(await third.url())).toEqual(['kept']);
      expect((await stat(`/proc/${await livePostmasterPid(dataDir)}`)).uid).toBe(NOBODY);
    },
  );
});

describe('an embedded PostgreSQL started by an ordinary user (needs root)', () => {
  it.skipIf(!isRoot)('runs as that user, also after root has used its folder', async () => {
    const dataDir = await newDataDir();
    await openToAll(root);
    await chown(dirname(dataDir), NOBODY, NOBODY);
    const own = new ServerProcess({ module, dataDir, uid: NOBODY });
    await storeNote(await own.url(), 'by nobody');
    expect((await stat(`/proc/${await livePostmasterPid(dataDir)}`)).uid).toBe(NOBODY);
    expect((await stat(join(dataDir, 'postgres-password'))).uid).toBe(NOBODY);
    await own.command('stop');

    const byRoot = new ServerProcess({ module, dataDir });
    await storeNote(await byRoot.url(), 'by root');
    await byRoot.killHard();

    const ownAgain = new ServerProcess({ module, dataDir, uid: NOBODY });
    expect(await readNotes(await ownAgain.url())).toEqual(['by nobody', 'by root']);
  });

  it.skipIf(!isRoot)('names the owner of a folder that does not belong to the user', async () => {
    const dataDir = await usedDataDir();
    await openToAll(root);
    const byRoot = new ServerProcess({ module, dataDir });
    await byRoot.url();
    await byRoot.command('stop');
    await chmod(dirname(dataDir), 0o755);
    const closed = new ServerProcess({ module, dataDir, uid: NOBODY });
    expect((await closed.result).refused?.message).toContain(`${dataDir}/postgres belongs to another user`);
    await chmod(dataDir, 0o755);
    await chown(join(dataDir, 'postgres'), 1, 1);
    const foreign = new ServerProcess({ module, dataDir, uid: NOBODY });
    expect((await foreign.result).refused?.message).toContain(`${dataDir}/postgres belongs to user 1,`);
  });

  it.skipIf(!isRoot)(
    'creates the library links that an install without scripts omits, or reports that it cannot',
    async () => {
      const dataDir = await newDataDir();
      await openToAll(root);
      await chown(dirname(dataDir), NOBODY, NOBODY);
      const library = join(root, 'node_modules', platformPackage, 'native/lib');
      const links = JSON.parse(await readFile(join(library, '../pg-symlinks.json'), 'utf8')) as { target: string }[];
      expect(links.length).toBeGreaterThan(0);
      for (const { target } of links) await rm(join(library, '../..', target));

      const refused = new ServerProcess({ module, dataDir, uid: NOBODY });
      expect((await refused.result).refused?.message).toMatch(/library link .* is missing, .* Install again/);
      await chown(library, NOBODY, NOBODY);
      await mkdir(dataDir, { recursive: true });
      await chown(dataDir, NOBODY, NOBODY);
      const server = new ServerProcess({ module, dataDir, uid: NOBODY });
      await storeNote(await server.url(), 'works');
      for (const { target } of links) expect((await lstat(join(library, '../..', target))).isSymbolicLink()).toBe(true);
    },
  );
});
