/** TLS to a PostgreSQL of the operator: whom the server and the commands trust, and what a person on call reads when they do not. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { SELF_SIGNED, SIGNED } from '../support/certificate.js';
import { runHere } from '../support/commands.js';

import { OwnPostgres } from '../support/own-postgres.js';
import { newDataDir, newFolder, run, Server } from '../support/process.js';

let database: OwnPostgres;
let files: Record<'right' | 'wrong' | 'both' | 'text' | 'damaged' | 'cert' | 'key', string>;

beforeAll(async () => {
  database = await OwnPostgres.make({ ssl: 'on', listen_addresses: '127.0.0.1' });
  await database.write('server.key', `${SIGNED.server.key}\n`);
  await database.write('server.crt', `${SIGNED.server.cert}\n`);
  await database.write('root.crt', `${SIGNED.authority}\n`);
  await database.start();
  const folder = await newFolder();
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), `${text}\n`, { mode: 0o600 });
    return join(folder, name);
  };
  files = {
    right: await write('right.pem', SIGNED.authority),
    wrong: await write('wrong.pem', SELF_SIGNED.cert),
    both: await write('both.pem', `${SELF_SIGNED.cert}\n${SIGNED.authority}`),
    text: await write('text.pem', 'not a certificate'),
    damaged: await write('damaged.pem', SIGNED.authority.replace('MII', 'XII')),
    cert: await write('client.pem', SIGNED.client.cert),
    key: await write('client.key', SIGNED.client.key),
  };
});
afterAll(() => database.stop());

type File = keyof typeof files;

function urlOf(host: 'localhost' | '127.0.0.1', mode: string, file?: File, more = ''): string {
  const root = file === undefined ? '' : `&sslrootcert=${encodeURIComponent(files[file])}`;
  return `${database.urlAt(`${host}:${database.port}`)}?sslmode=${mode}${root}${more}`;
}

/** Whether PostgreSQL says that the connection is encrypted. */
async function isEncrypted(url: string): Promise<boolean | undefined> {
  const opened = openDatabase(url, { maxConnections: 1 });
  try {
    const [row] = await opened.sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl;
  } finally {
    await opened.close();
  }
}

describe('sslmode and sslrootcert', () => {
  it.each([
    ['verify-full', 'localhost', 'right'],
    ['verify-full', 'localhost', 'both'],
    ['verify-ca', 'localhost', 'right'],
    ['verify-ca', '127.0.0.1', 'right'],
    ['require', '127.0.0.1', 'right'],
    ['require', '127.0.0.1', undefined],
    ['prefer', '127.0.0.1', undefined],
  ] as const)('%s accepts %s with the authority %s', async (mode, host, file) => {
    expect(await isEncrypted(urlOf(host, mode, file))).toBe(true);
  });

  it.each([
    [
      'verify-full',
      '127.0.0.1',
      'right',
      /127\.0\.0\.1 is not accepted: .*IP: 127\.0\.0\.1 is not in .*Connect to a name/s,
    ],
    ['verify-full', 'localhost', 'wrong', /localhost is not accepted: .*sslrootcert must name the file/s],
    ['verify-full', 'localhost', undefined, /is not accepted: .*sslrootcert must name the file/s],
    ['verify-ca', '127.0.0.1', 'wrong', /is not accepted/],
    ['verify-ca', '127.0.0.1', undefined, /is not accepted/],
    ['require', '127.0.0.1', 'wrong', /is not accepted/], // as libpq: a file makes it verify-ca
    ['prefer', '127.0.0.1', 'wrong', /is not accepted/],
  ] as const)('%s refuses %s with the authority %s', async (mode, host, file, message) => {
    await expect(isEncrypted(urlOf(host, mode, file))).rejects.toThrow(message);
  });

  it.each([
    ['text', /sslrootcert=\S+text\.pem has no certificate in the PEM format/],
    ['damaged', /certificate 1 in sslrootcert=\S+damaged\.pem is damaged/],
  ] as const)('a file with %s is refused before anything is sent', async (file, message) => {
    await expect(async () => isEncrypted(urlOf('localhost', 'verify-full', file))).rejects.toThrow(message);
  });

  it.each([
    ['?sslmode=verify-full&sslrootcert=/nowhere/ca.pem', 'sslrootcert=/nowhere/ca.pem cannot be read (ENOENT).'],
    ['?sslrootcert=/nowhere/ca.pem', 'has sslrootcert, but no TLS: add sslmode=verify-full.'],
    ['?sslmode=require&sslrootcert=system', 'sslrootcert=system, which requires sslmode=verify-full'],
    ['?sslmode=require&sslcert=/nowhere/client.pem', 'must have both sslcert and sslkey, or neither'],
    ['?sslmode=require&sslcrl=/nowhere/crl.pem', 'has sslcrl, which is not supported'],
    ['?sslmode=fully', 'has sslmode=fully, which is not one of disable'],
  ])('%s is refused with a reason', (query, message) => {
    expect(() => openDatabase(`${database.url}${query}`)).toThrow(message);
  });

  it('sslrootcert=system trusts the authorities of Node.js, which did not sign this certificate', async () => {
    await expect(isEncrypted(`${urlOf('localhost', 'verify-full')}&sslrootcert=system`)).rejects.toThrow(
      'is not accepted',
    );
  });
});

describe('sslcert and sslkey', () => {
  it('are sent to a PostgreSQL that asks for a certificate of its clients', async () => {
    await database.ask((sql) => sql`alter system set ssl_ca_file = 'root.crt'`);
    await database.write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n');
    await database.stop();
    await database.start();
    try {
      const own = `&sslcert=${encodeURIComponent(files.cert)}&sslkey=${encodeURIComponent(files.key)}`;
      expect(await isEncrypted(urlOf('localhost', 'verify-full', 'right', own))).toBe(true);
      await expect(isEncrypted(urlOf('localhost', 'verify-full', 'right'))).rejects.toThrow('valid client certificate');
      const swapped = `&sslcert=${encodeURIComponent(files.cert)}&sslkey=${encodeURIComponent(files.cert)}`;
      await expect(async () => isEncrypted(urlOf('localhost', 'verify-full', 'right', swapped))).rejects.toThrow(
        /sslkey=\S+client\.pem is not a private key in the PEM format/,
      );
    } finally {
      await database.write('pg_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
      await database.stop();
      await database.start();
    }
  });
});

describe('every command', () => {
  it('honours the certificate, and says what is wrong with it', async () => {
    const [good, bad] = [urlOf('localhost', 'verify-full', 'right'), urlOf('localhost', 'verify-full', 'wrong')];
    const target = join(await newFolder(), 'till.backup');
    const commands = [['migrate'], ['check'], ['backup', target], ['migrate', '--plan']];
    for (const command of commands) {
      const refused = await runHere([...command, '--database-url', bad]);
      expect([refused.code, refused.stderr], command.join(' ')).toEqual([
        2,
        expect.stringMatching(
          /DATABASE_URL\) cannot be used: the certificate of the database server localhost is not accepted/,
        ),
      ]);
      expect(refused.stderr).not.toContain('correct-horse');
    }
    for (const command of commands) {
      const { code, stderr } = await runHere([...command, '--database-url', good]);
      expect([code, stderr], command.join(' ')).toEqual([0, '']);
    }
    await database.ask((sql) => sql`create database restored`);
    const url = good.replace('/postgres?', '/restored?');
    const refused = await runHere(['restore', target, '--database-url', bad.replace('/postgres?', '/restored?')]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not accepted')]);
    const { code, stderr } = await runHere(['restore', target, '--database-url', url]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('serve starts with the right authority, and ends with a wrong one', async () => {
    const start = (file: File) => ['--database-url', urlOf('localhost', 'verify-full', file)];
    const server = await Server.start({ dataDir: await newDataDir(), args: start('right') });
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    await server.stop();
    const refused = await run(['serve', '--port', '0', '--data-dir', await newDataDir(), ...start('wrong')]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not accepted')]);
    expect(refused.stderr).not.toMatch(/\n\s+at /);
  });
});
