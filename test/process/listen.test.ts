/** `tillhouse listen`: prints events as they happen, and forwards them with a signature for the receiver. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WebhooksHelper } from 'square';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram } from '../support/built.js';
import { runHere } from '../support/commands.js';
import { PATIENT } from '../support/patient.js';
import { paymentBody } from '../support/payments.js';
import { environment, newDataDir, readDemo } from '../support/process.js';
import { answer, Receiver } from '../support/receiver.js';
import { ServerHere } from '../support/server-here.js';

let server: ServerHere;
let receiver: Receiver;
let listener: ChildProcess | undefined;
let token: string;

beforeAll(async () => {
  server = await ServerHere.start();
  ({ access_token: token } = await readDemo(server.dataDir));
  receiver = await Receiver.open();
});
afterAll(async () => {
  listener?.kill('SIGKILL');
  await receiver.close();
  await server.stop();
});

/** A `tillhouse listen` that has started, with its output. */
async function listen(...args: string[]) {
  const main = join(await buildProgram(), 'dist/main.js');
  const all = [main, 'listen', ...args, '--data-dir', server.dataDir];
  const child = spawn(process.execPath, all, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  listener = child;
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  await expect.poll(() => said.out + said.err, { timeout: PATIENT.timeoutMs }).toContain('Signature key: ');
  const stop = async () => {
    const closed = once(child, 'close');
    child.kill('SIGINT');
    return { exit: await closed, err: said.err };
  };
  return { said, stop };
}

async function subscriptions(): Promise<{ notification_url: string }[]> {
  const { body } = await server.call('GET', '/v2/webhooks/subscriptions?include_disabled=true', { token });
  return body.subscriptions ?? [];
}

it('prints events, forwards them with a new signature, and leaves nothing behind', async () => {
  receiver.answering = answer(202, 'thanks');
  const { said, stop } = await listen('--forward-to', receiver.url);
  const signatureKey = /Signature key: (\S+)/.exec(said.out)?.[1] ?? '';

  const { payment } = (await server.call('POST', '/v2/payments', { token, body: paymentBody() })).body;
  const [received] = await receiver.until(1);
  const signed = {
    requestBody: received?.text ?? '',
    signatureHeader: String(received?.headers['x-square-hmacsha256-signature']),
    signatureKey,
    notificationUrl: receiver.url,
  };
  expect(await WebhooksHelper.verifySignature(signed)).toBe(true);
  expect(received?.body).toMatchObject({ type: 'payment.created', data: { id: payment.id } });
  await expect
    .poll(() => said.out, { timeout: PATIENT.timeoutMs })
    .toContain(`payment.created              ${payment.id}`);
  await expect.poll(() => said.out, { timeout: PATIENT.timeoutMs }).toMatch(/ -> 202 in \d+ ms/);

  expect(await stop()).toEqual({ exit: [0, null], err: '' });
  expect(await subscriptions()).toEqual([]);
});

it('exits cleanly while the receiver has not responded yet', async () => {
  const before = receiver.received.length;
  receiver.answering = () => {};
  const { stop } = await listen('--forward-to', receiver.url);
  await server.call('POST', '/v2/payments', { token, body: paymentBody() });
  await receiver.until(before + 1);
  expect(await stop()).toEqual({ exit: [0, null], err: '' });
  expect(await subscriptions()).toEqual([]);
});

it('prints events of both generations as JSON, with the same key in every run, and gets what is sent again', async () => {
  const key = (said: { out: string; err: string }) => /Signature key: (\S+)/.exec(said.out + said.err)?.[1];
  const first = await listen('--events', 'payment.created');
  const { payment } = (await server.call('POST', '/v2/payments', { token, body: paymentBody() })).body;
  await expect.poll(() => first.said.out, { timeout: PATIENT.timeoutMs }).toContain(payment.id);
  const eventId = /(\S+)$/.exec(first.said.out.trim())?.[1] ?? '';
  expect((await first.stop()).exit).toEqual([0, null]);

  const second = await listen('--print-json', '--events', 'payment.created,PAYMENT_UPDATED');
  expect(key(second.said)).toBe(key(first.said));
  expect((await stat(join(server.dataDir, 'listen-key'))).mode & 0o777).toBe(0o600);
  const { code, stdout } = await runHere(['events', 'resend', eventId, '--data-dir', server.dataDir]);
  expect([code, stdout]).toEqual([0, 'Sending again to 1 subscription.\n']);
  await expect.poll(() => second.said.out, { timeout: PATIENT.timeoutMs }).toContain(eventId);
  const later = (await server.call('POST', '/v2/payments', { token, body: paymentBody() })).body.payment;
  await expect.poll(() => second.said.out.trim().split('\n').length, { timeout: PATIENT.timeoutMs }).toBe(3);
  const documents = second.said.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(documents[0]).toMatchObject({ event: { type: 'payment.created', event_id: eventId } });
  expect(
    documents
      .slice(1)
      .map(({ event }) => event.type ?? event.event_type)
      .sort(),
  ).toEqual(['PAYMENT_UPDATED', 'payment.created']);
  expect(documents.find(({ event }) => event.data?.id === later.id)).toBeDefined();
  expect((await second.stop()).exit).toEqual([0, null]);
  expect(await subscriptions()).toEqual([]);
});

it('continues when another client calls its URL', async () => {
  const { said, stop } = await listen();
  const [{ notification_url }] = (await subscriptions()) as [{ notification_url: string }];
  expect((await fetch(notification_url, { method: 'POST', body: 'nonsense' })).status).toBe(400);
  const { payment } = (await server.call('POST', '/v2/payments', { token, body: paymentBody() })).body;
  await expect.poll(() => said.out, { timeout: PATIENT.timeoutMs }).toContain(payment.id);
  expect(await stop()).toEqual({ exit: [0, null], err: '' });
});

it('reports in one line what is missing', async () => {
  const lines = [
    await runHere(['listen', '--data-dir', await newDataDir()]),
    await runHere(['listen', '--data-dir', server.dataDir, '--forward-to', 'ftp://nonsense']),
    await runHere(['listen', '--data-dir', server.dataDir, '--events', 'nonsense']),
    await runHere(['listen', '--data-dir', server.dataDir, '--token', 'nonsense']),
  ];
  expect(lines.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  const said = [
    'No Tillhouse server runs',
    '--forward-to must be',
    "there is no event type 'nonsense'",
    'does not know the access token',
  ];
  for (const [index, { stderr }] of lines.entries()) expect(stderr).toContain(said[index]);
});
