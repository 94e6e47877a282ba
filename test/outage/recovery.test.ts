/**
 * Base backups and point-in-time recovery of a PostgreSQL of your own, with the commands of the guide. The embedded package has no
 * `pg_basebackup`, so the test asks PostgreSQL for the same backup with the same options.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { runHere } from '../support/commands.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { advance, getRefund, pay, refund, usd } from '../support/payments.js';
import { startTestServer } from '../support/server.js';

const PATIENCE_MS = 30_000;

/** The settings and the commands of the guide, in the order in which it has them. */
async function readGuide() {
  const text = await readFile(new URL('../../docs/running.md', import.meta.url), 'utf8');
  const [, guide = ''] = /^### Base backups and point-in-time recovery$([\s\S]*?)^### /m.exec(text) ?? [];
  const blocks = [...guide.matchAll(/```\n([\s\S]*?)```/g)].map(([, block = '']) => block.replace(/^ {3}/gm, ''));
  const commands = [...guide.matchAll(/`((?:pg_basebackup|tar) [^`]+)`/g)].map(([, command = '']) => command);
  const [settings = '', configure = ''] = blocks;
  const [backUp = '', unpack = ''] = commands;
  return { settings, backUp, unpack, configure };
}

const settingsIn = (lines: string) =>
  Object.fromEntries([...lines.matchAll(/^(\w+) = '?(.+?)'?$/gm)].map(([, name = '', value = '']) => [name, value]));

const check = async ({ url }: OwnPostgres) => (await runHere(['check', '--database-url', url])).code;

it('brings back the books of a moment before a mistake', async () => {
  const { settings, backUp, unpack, configure } = await readGuide();
  const archive = await OwnPostgres.makeFolder();
  const inArchive = (text: string) => text.replaceAll('/archive', archive);
  const postgres = await OwnPostgres.make(settingsIn(inArchive(settings)));
  await postgres.start();
  const server = await startTestServer({ databaseUrl: postgres.url });
  const merchant = await server.createMerchant({ clock: { frozen: true } });
  const first = await pay(server, merchant);

  expect(backUp).toBe('pg_basebackup -D /archive/base-$(date +%F) -Ft -z -X fetch -c fast');
  await postgres.backUp(join(archive, 'base-2026-11-17'));

  const second = await pay(server, merchant, { amount_money: usd(2000) });
  const { id: refundId } = await refund(server, merchant, second, { amount_money: usd(500) });
  await advance(server, merchant, 'PT1M');
  const [moment] = await postgres.ask((sql) => sql`select clock_timestamp()::text as time`);
  await server.database.sql`delete from movements`;
  const third = await pay(server, merchant);
  expect(await check(postgres)).toBe(1);
  await server.stop();
  await postgres.stop();

  const folder = await OwnPostgres.makeFolder();
  const restore = inArchive(`${unpack}\n${configure}`)
    .replaceAll('NEW_FOLDER', folder)
    .replace('2026-11-17 05:00:00+00', moment?.['time']);
  await postgres.runCommands(restore);
  const restored = await postgres.onRestored(folder);
  await restored.start();
  const isDone = (rows: readonly { readonly done?: boolean }[]) => rows[0]?.done === true;
  const askState = () => restored.ask((sql) => sql<{ done: boolean }[]>`select not pg_is_in_recovery() as done`);
  expect(await pollUntil(askState, isDone, PATIENCE_MS)).toEqual([{ done: true }]);

  expect(await check(restored)).toBe(0);
  const again = await startTestServer({ databaseUrl: restored.url });
  const listed = async () =>
    (await again.call('GET', '/v2/payments', merchant)).body.payments.map(({ id }: { id: string }) => id);
  expect(await listed()).toEqual([second.id, first.id]);
  expect((await getRefund(again, merchant, refundId)).status).toBe('COMPLETED');
  expect((await again.call('GET', `/v2/payments/${third.id}`, merchant)).status).toBe(404);
  const fourth = await pay(again, merchant);
  expect(await listed()).toContain(fourth.id);
  await again.stop();
  await restored.stop();
});
