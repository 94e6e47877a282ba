/** `tillhouse listen`: prints what happens to a merchant as it happens, and hands it on to a receiver under construction. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realNow } from '../base/clock.js';
import {
  DATA_FLAGS,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { parseTime } from '../base/time.js';
import { type EventKind, type Failure, V2_EVENT_KINDS } from '../events/model.js';
import { createSender, type Sender } from '../events/sending.js';
import { type Command, printHelp, TOKEN_FLAG } from './command.js';
import { findRunningSandbox, type RunningSandbox } from './running-server.js';

const FLAGS = {
  'forward-to': { value: 'URL', fallback: '', about: 'where each event is sent on to; absent: they are only printed' },
  events: { value: 'LIST', fallback: '', about: 'kinds, separated by commas; absent: all that the token may see' },
  token: TOKEN_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type ListenCall = ParsedArguments<typeof FLAGS>;

export const listen: Command = {
  name: 'listen',
  summary: 'print events as they happen, and forward them',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('listen [--forward-to URL] [flags]', 'Prints events as they happen.', FLAGS);
    rejectExtraArguments(call, 0);
    const sandbox = await findRunningSandbox(toDataDir(call.values));
    const token = call.values.token || sandbox.demoToken;
    if (token === undefined) throw new UsageError('Say whose events: --token TOKEN.');
    await listenUntilStopped(call, sandbox, token);
  },
};

async function listenUntilStopped({ values }: ListenCall, { url, ask }: RunningSandbox, token: string): Promise<void> {
  const forwardTo = values['forward-to'];
  if (forwardTo !== '' && !(URL.canParse(forwardTo) && /^https?:/.test(forwardTo))) {
    throw new UsageError(`--forward-to must be an http or https address, not '${forwardTo}'.`);
  }
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
  const sender = createSender({ mode: 'sandbox' });
  let signatureKey = '';
  const receiver = createServer((request, response) => {
    handleEvent(request, { forwardTo, signatureKey, sender }).then(
      ({ status, answer }) => response.writeHead(status).end(answer),
      () => response.writeHead(400).end(), // no message of the server's, or one that is given up because we stop
    );
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const notification_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const event_types = values.events === '' ? V2_EVENT_KINDS : values.events.split(',').map((word) => word.trim());
  const subscription = { name: 'tillhouse listen', event_types, notification_url };
  const path = '/v2/webhooks/subscriptions';
  const made = await ask<Answer>({ method: 'POST', path, token, body: { subscription } }).catch((error: unknown) => {
    receiver.close();
    throw error;
  });
  ({ signature_key: signatureKey } = made.subscription);
  console.log(`Listening at ${url}${forwardTo && `, forwarding to ${forwardTo}`}. Ctrl-C ends it.`);
  console.log(`Signature key: ${signatureKey}`);
  await stopped;
  // The server may be gone already.
  await ask({ method: 'DELETE', path: `${path}/${made.subscription.id}`, token }).catch(() => {});
  receiver.close();
  receiver.closeAllConnections();
  sender.close();
}

interface Forwarding {
  /** Empty: nowhere. */
  readonly forwardTo: string;
  readonly signatureKey: string;
  readonly sender: Sender;
}

/** Prints a message and hands it on. What the receiver answers is what the server keeps, and why it tries again. */
async function handleEvent(
  request: IncomingMessage,
  { forwardTo, signatureKey, sender }: Forwarding,
): Promise<{ status: number; answer: string | undefined }> {
  const body = await readWhole(request);
  const { type, event_id, data } = JSON.parse(body) as { type: EventKind; event_id: string; data: { id: string } };
  const message = { url: forwardTo, signatureKey, body, ...retryOf(request) };
  const outcome = forwardTo === '' ? undefined : await sender.send(message);
  const result = outcome && `  -> ${outcome.status ?? outcome.answer} in ${outcome.durationMs} ms`;
  console.log(`${message.firstTriedText}  ${type.padEnd(27)}  ${data.id}  ${event_id}${result ?? ''}`);
  return { status: outcome ? (outcome.status ?? 502) : 200, answer: outcome?.answer };
}

/** The subscription's message was the server's; the receiver gets one of its own, signed for its own address. */
function retryOf({ headers }: IncomingMessage) {
  const firstTriedText = String(headers['square-initial-delivery-timestamp']);
  const reason = headers['square-retry-reason'] as Failure | undefined;
  return {
    firstTriedText,
    firstTriedAt: parseTime(firstTriedText) ?? realNow(),
    retry: Number(headers['square-retry-number'] ?? 0),
    retryReason: reason ?? null,
    fault: (headers['tillhouse-fault'] as string | undefined) ?? null,
  };
}

async function readWhole(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface Answer {
  readonly subscription: { readonly id: string; readonly signature_key: string };
}
