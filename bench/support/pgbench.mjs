/** pgbench, the benchmark of PostgreSQL, if it is on the machine. The project does not need it. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { SUPERUSER } from '../../dist/database/embedded/connection.js';

const run = promisify(execFile);
const DATABASE = 'pgbench';
const SCALE = 50;
/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** Prepares a database for it on the server's PostgreSQL. Undefined without pgbench. */
export async function preparePgbench({ databaseUrl, dataDir }, { connections }) {
  const program = await findPgbench();
  if (!program) return undefined;
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  const { hostname, port } = new URL(databaseUrl);
  const sql = postgres(databaseUrl, { user: SUPERUSER, password, max: 1, onnotice: () => {} });
  await sql.unsafe(`create database ${DATABASE}`);
  await sql.end();
  const env = { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: SUPERUSER, PGPASSWORD: password };
  const call = (...words) => run(program, [...words, DATABASE], { env });
  await call('-i', '-q', '-s', `${SCALE}`);
  return {
    async run(seconds) {
      const load = ['-N', '-M', 'prepared', '-c', `${connections}`, '-j', '2', '-T', `${seconds}`];
      const { stdout } = await call(...load, '-s', `${SCALE}`, '-n');
      const [, perSecond] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
      // pgbench prints no rate if no transaction succeeded. With 0 only the scenarios that are compared with it fail.
      return { perSecond: Math.round(Number(perSecond ?? 0)) };
    },
  };
}

async function findPgbench() {
  const versions = await readdir(DEBIAN).catch(() => []);
  for (const program of ['pgbench', ...versions.map((version) => join(DEBIAN, version, 'bin', 'pgbench'))]) {
    const found = await run(program, ['--version']).catch(() => undefined);
    if (found) return program;
  }
  return undefined;
}
