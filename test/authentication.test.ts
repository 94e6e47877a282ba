/** How the client authenticates to the database: to which servers it sends a password, and over which connection. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database/database.js';
import { type Conversation, DONE, type FakePostgres, READY, startFakePostgres, step } from './support/fake-postgres.js';

const PASSWORD = 'correct horse battery staple';
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0).reverse()) await close();
});

async function pretend(
  talk: (conversation: Conversation) => Promise<void>,
  options?: { readonly tls: string },
): Promise<FakePostgres> {
  const fake = await startFakePostgres(talk, options);
  opened.push(fake);
  return fake;
}

function open({ port }: FakePostgres, query = '', options: DatabaseOptions = {}): Database {
  const url = `postgres://till:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/till${query}`;
  const database = openDatabase(url, { maxConnections: 1, ...options });
  opened.push(database);
  return database;
}

const ask = (database: Database): Promise<unknown> => database.sql.unsafe('select 1');

/** Responds to every statement after authentication. */
const serve = async ({ send, nextMessage }: Conversation): Promise<void> => {
  send(READY);
  for (;;) {
    await nextMessage();
    send(DONE);
  }
};

describe.each(['', '?sslmode=require'])('a server that uses another method than SCRAM (%s)', (query) => {
  it.each([
    ['in clear text', step(3), 'the password in clear text'],
    ['as an MD5 hash', step(5, 'salt'), 'the password as an MD5 hash'],
    ['as a ticket', step(7), 'a GSSAPI ticket'],
    ['by an unknown method', step(4711), 'an unknown authentication method (4711)'],
  ])('%s gets no password', async (_, question, named) => {
    const fake = await pretend(async ({ send }) => send(question));
    const refused = expect(ask(open(fake, query))).rejects;
    await refused.toThrow(named);
    await expect(ask(open(fake, query))).rejects.toThrow('Use the method scram-sha-256 in the pg_hba.conf');
    expect(fake.messages).toEqual([]);
  });
});

describe('a server that requests the password itself', () => {
  it('gets no password when the request arrives byte by byte', async () => {
    const fake = await pretend(async ({ send }) => {
      for (const byte of step(3)) {
        send(Buffer.from([byte]));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    await expect(ask(open(fake))).rejects.toMatchObject({ code: 'CONNECTION_UNSAFE' });
    expect(fake.messages).toEqual([]);
  });

  it('gets no password when it asks in the middle of a session', async () => {
    const fake = await pretend(async ({ send, nextMessage }) => {
      send(Buffer.concat([step(0), READY]));
      await nextMessage();
      send(step(3));
    });
    await expect(ask(open(fake))).rejects.toThrow('asked for the password a second time');
    expect(fake.messages).toHaveLength(1);
    expect(String(fake.messages[0])).toContain('pg_backend_pid');
  });

  it.each([
    ['too short', Buffer.from('R\0\0\0\x04')],
    ['shorter than nothing', Buffer.from('N\0\0\0\0R\0\0\0\x08\0\0\0\x03')],
  ])('cannot hide its request in messages that are %s', async (_, bytes) => {
    const fake = await pretend(async ({ send }) => send(bytes));
    await expect(ask(open(fake))).rejects.toThrow('does not speak the PostgreSQL protocol');
    expect(fake.messages).toEqual([]);
  });
});

describe('a server that does not know the password', () => {
  const challenge = async ({ send, nextMessage }: Conversation): Promise<void> => {
    send(step(10, 'SCRAM-SHA-256\0\0'));
    const [, nonce = ''] = /r=(.*)$/.exec(String(await nextMessage())) ?? [];
    send(step(11, `r=${nonce}more,s=${Buffer.from('salt').toString('base64')},i=4096`));
    await nextMessage();
  };

  it('is disconnected when its SCRAM proof is wrong', async () => {
    const fake = await pretend(async (conversation) => {
      await challenge(conversation);
      conversation.send(step(12, `v=${Buffer.alloc(32).toString('base64')}`));
      conversation.send(step(0));
      await serve(conversation);
    });
    await expect(ask(open(fake))).rejects.toMatchObject({ code: 'SASL_SIGNATURE_MISMATCH' });
    expect(String(Buffer.concat(fake.messages))).not.toContain(PASSWORD);
    expect(String(Buffer.concat(fake.messages))).not.toContain('pg_backend_pid');
  });

  it('is disconnected when it omits its SCRAM proof', async () => {
    const fake = await pretend(async (conversation) => {
      await challenge(conversation);
      conversation.send(step(0));
      await serve(conversation);
    });
    await expect(ask(open(fake))).rejects.toThrow('did not prove that it knows the password');
    expect(String(Buffer.concat(fake.messages))).not.toContain('pg_backend_pid');
  });
});

describe('a server that requests no password', () => {
  const trust = async (conversation: Conversation): Promise<void> => {
    conversation.send(step(0));
    await serve(conversation);
  };

  it('is used with and without TLS', async () => {
    const fake = await pretend(trust);
    for (const query of ['', '?sslmode=require', '?sslmode=prefer', '?sslmode=disable']) {
      await expect(ask(open(fake, query))).resolves.toEqual([]);
    }
  });

  it('is disconnected if authentication is required', async () => {
    const fake = await pretend(trust);
    await expect(ask(open(fake, '', { requireScram: true }))).rejects.toThrow('asked for no password');
    expect(fake.messages).toEqual([]);
  });

  it('is not used when its certificate must be verified and is self-signed', async () => {
    const fake = await pretend(trust);
    const database = open(fake, '?sslmode=verify-full');
    await expect(ask(database)).rejects.toMatchObject({ code: 'CONNECTION_UNSAFE' });
    await expect(ask(database)).rejects.toMatchObject({ code: 'CONNECTION_UNSAFE' });
    expect(fake.messages).toEqual([]);
  });

  it('is used without TLS only if that is allowed', async () => {
    const fake = await pretend(trust, { tls: 'N' });
    for (const mode of ['prefer', 'allow']) await expect(ask(open(fake, `?sslmode=${mode}`))).resolves.toEqual([]);
    const database = open(fake, '?sslmode=require');
    await expect(ask(database)).rejects.toThrow('does not speak TLS');
    await expect(ask(database)).rejects.toThrow('does not speak TLS');
  });

  it('is disconnected when it sends other bytes with its response to the TLS request', async () => {
    const fake = await pretend(trust, { tls: `S${step(0)}` });
    await expect(ask(open(fake, '?sslmode=require'))).rejects.toThrow('the server refused TLS');
  });
});
