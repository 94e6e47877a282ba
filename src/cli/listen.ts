/** `tillhouse listen`: prints a merchant's events as they are published, and forwards them to a receiver under development. */
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
  'forward-to': {
    value: 'URL',
    fallback: '',
    about: 'the URL to which each event is forwarded; default: events are only printed',
  },
  events: {
    value: 'LIST',
    fallback: '',
    about: 'event types, separated by commas; default: all that the token permits',
  },
  token: TOKEN_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type ListenCall = ParsedArguments<typeof FLAGS>;

export const listen: Command = {
  name: 'listen',
  summary: 'print events as they are published, and forward them',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help)
      return printHelp(
        'listen [--forward-to URL] [flags]',
        'Prints events as they are published, and forwards them.',
        FLAGS,
      );
    rejectExtraArguments(call, 0);
    const sandbox = await findRunningSandbox(toDataDir(call.values));
    const token = call.values.token || sandbox.demoToken;
    if (token === undefined) throw new UsageError('--token is required: there is no demo merchant.');
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
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.writeHead(400).end(), // not a message of the server, or its forwarding was aborted by the stop
    );
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const notification_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const event_types = values.events === '' ? V2_EVENT_KINDS : values.events.split(',').map((word) => word.trim());
  const subscription = { name: 'tillhouse listen', event_types, notification_url };
  const path = '/v2/webhooks/subscriptions';
  const created = await ask<CreatedSubscription>({ method: 'POST', path, token, body: { subscription } }).catch(
    (error: unknown) => {
      receiver.close();
      throw error;
    },
  );
  ({ signature_key: signatureKey } = created.subscription);
  console.log(`Listening at ${url}${forwardTo && `, forwarding to ${forwardTo}`}. Press Ctrl-C to stop.`);
  console.log(`Signature key: ${signatureKey}`);
  await stopped;
  // The server may have stopped already.
  await ask({ method: 'DELETE', path: `${path}/${created.subscription.id}`, token }).catch(() => {});
  receiver.close();
  receiver.closeAllConnections();
  sender.close();
}

interface Forwarding {
  /** Empty: events are only printed. */
  readonly forwardTo: string;
  readonly signatureKey: string;
  readonly sender: Sender;
}

/** Prints a message and forwards it. The server records the receiver's response as its own, and retries accordingly. */
async function handleEvent(
  request: IncomingMessage,
  { forwardTo, signatureKey, sender }: Forwarding,
): Promise<{ status: number; body: string | undefined }> {
  const body = await readBody(request);
  const { type, event_id, data } = JSON.parse(body) as { type: EventKind; event_id: string; data: { id: string } };
  const message = { url: forwardTo, signatureKey, body, ...retryOf(request) };
  const outcome = forwardTo === '' ? undefined : await sender.send(message);
  const result = outcome && `  -> ${outcome.status ?? outcome.response} in ${outcome.durationMs} ms`;
  console.log(`${message.firstTriedText}  ${type.padEnd(27)}  ${data.id}  ${event_id}${result ?? ''}`);
  return { status: outcome ? (outcome.status ?? 502) : 200, body: outcome?.response };
}

/** The signature covers the URL, so the message is signed again for the receiver's URL; the retry headers are kept. */
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface CreatedSubscription {
  readonly subscription: { readonly id: string; readonly signature_key: string };
}
