/** `tillhouse listen`: prints a merchant's events as they are published, and forwards them to a receiver under development. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { realNow } from '../base/clock.js';
import { DATA_FLAGS, toDataDir, UsageError } from '../base/config.js';
import { didYouMean } from '../base/nearest.js';
import { readOrCreateSecret } from '../base/secret-files.js';
import { parseTime } from '../base/time.js';
import { type DeliveryFailure, EVENT_KINDS, type EventKind, V1_EVENT_KINDS, V2_EVENT_KINDS } from '../events/model.js';
import { createSender, type Outcome, type Sender } from '../events/sending.js';
import { TOKEN_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { toHttpAddress } from './http-address.js';
import { findRunningSandbox, type RunningSandbox } from './running-server.js';
import { subscribeToV1 } from './v1-listener.js';

const FLAGS = {
  'forward-to': {
    value: 'URL',
    fallback: '',
    about:
      'the URL to which each event is forwarded, such as localhost:3000/webhooks; default: events are only printed',
  },
  events: {
    value: 'LIST',
    fallback: '',
    about: `event types, separated by commas; default: those of v2. All: ${EVENT_KINDS.join(', ')}`,
  },
  'print-json': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'print each event as one line of JSON, and nothing else',
  },
  token: TOKEN_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type ListenCall = Call<typeof FLAGS>;

export const listen = command({
  name: 'listen',
  summary: 'print events as they are published, and forward them',
  usage: '[--forward-to URL] [flags]',
  about: 'Prints events as they are published, and forwards them.',
  flags: FLAGS,
  async run(call) {
    const sandbox = await findRunningSandbox(call.values);
    const token = call.values.token || sandbox.demoToken;
    if (token === undefined) throw new UsageError('--token is required: there is no demo merchant.');
    // Kept in the data folder, so that a receiver can be configured once.
    const signatureKey = await readOrCreateSecret(join(toDataDir(call.values), 'listen-key'), '');
    await listenUntilStopped(call, sandbox, { token, signatureKey });
  },
});

async function listenUntilStopped(
  { values }: ListenCall,
  sandbox: RunningSandbox,
  { token, signatureKey }: { readonly token: string; readonly signatureKey: string },
): Promise<void> {
  const kinds = readKinds(values.events);
  const print = values['print-json'] === '' ? printLine : printJson;
  const given = values['forward-to'];
  const forwardTo = given === '' ? '' : toHttpAddress(given, '--forward-to'); // empty: events are only printed
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
  const sender = createSender({ mode: 'sandbox' });
  const receiver = createServer((request, response) => {
    handleEvent(request, { forwardTo, signatureKey, sender, print }).then(
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.writeHead(400).end(), // not a message of the server, or its forwarding was aborted by the stop
    );
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const notification_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const endings: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    for (const each of endings) await each().catch(() => {}); // the server may have stopped already
    receiver.close();
    receiver.closeAllConnections();
    sender.close();
  };
  try {
    const { v1, v2 } = kinds;
    if (v2.length > 0) endings.push(await subscribeToV2(sandbox, { token, kinds: v2, url: notification_url }));
    if (v1.length > 0) endings.push(await subscribeToV1(sandbox, { token, kinds: v1, url: notification_url }));
  } catch (error) {
    await end();
    throw error;
  }
  if (print === printLine) {
    console.log(`Listening at ${sandbox.url}${forwardTo && `, forwarding to ${forwardTo}`}. Press Ctrl-C to stop.`);
    console.log(`Signature key: ${signatureKey}`);
  } else console.error(`Listening at ${sandbox.url}. Signature key: ${signatureKey}`);
  await stopped;
  await end();
}

/** The given event types, by generation. Default: all of v2. */
function readKinds(given: string) {
  const words = given === '' ? V2_EVENT_KINDS : given.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !(EVENT_KINDS as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, EVENT_KINDS);
    throw new UsageError(`--events: there is no event type '${unknown}'.${hint} There are ${EVENT_KINDS.join(', ')}.`);
  }
  const among = <Kind extends EventKind>(kinds: readonly Kind[]) => kinds.filter((kind) => words.includes(kind));
  return { v1: among(V1_EVENT_KINDS), v2: among(V2_EVENT_KINDS) };
}

/** Returns a function that ends it. */
async function subscribeToV2(
  { ask }: RunningSandbox,
  { token, kinds, url }: { readonly token: string; readonly kinds: readonly EventKind[]; readonly url: string },
): Promise<() => Promise<unknown>> {
  const path = '/v2/webhooks/subscriptions';
  const body = { subscription: { name: 'tillhouse listen', event_types: kinds, notification_url: url } };
  const { subscription } = await ask<{ subscription: { id: string } }>({ method: 'POST', path, token, body });
  return () => ask({ method: 'DELETE', path: `${path}/${subscription.id}`, token });
}

interface Forwarding {
  /** Empty: events are only printed. */
  readonly forwardTo: string;
  readonly signatureKey: string;
  readonly sender: Sender;
  readonly print: Print;
}

/** An event of v2, or one of v1, which has no id of its own. */
type ReceivedEvent =
  | { readonly type: EventKind; readonly event_id: string; readonly data: { readonly id: string } }
  | { readonly event_type: EventKind; readonly entity_id: string };

type Print = (at: string, event: ReceivedEvent, outcome: Outcome | undefined) => void;

const printLine: Print = (at, event, outcome) => {
  const [type, ids] =
    'type' in event ? [event.type, `${event.data.id}  ${event.event_id}`] : [event.event_type, event.entity_id];
  const result = outcome && `  -> ${outcome.status ?? outcome.response} in ${outcome.durationMs} ms`;
  console.log(`${at}  ${type.padEnd(27)}  ${ids}${result ?? ''}`);
};

/** `forwarded` is the receiver's answer. */
const printJson: Print = (at, event, outcome) => {
  const forwarded = outcome && {
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
    duration_ms: outcome.durationMs,
    answer: outcome.response,
  };
  console.log(JSON.stringify({ at, event, ...(forwarded && { forwarded }) }));
};

/** Prints a message and forwards it. The server records the receiver's response as its own, and retries accordingly. */
async function handleEvent(
  request: IncomingMessage,
  { forwardTo, signatureKey, sender, print }: Forwarding,
): Promise<{ status: number; body: string | undefined }> {
  const body = await readBody(request);
  const event = JSON.parse(body) as ReceivedEvent;
  const message = { url: forwardTo, signatureKey, body, ...retryOf(request) };
  const outcome = forwardTo === '' ? undefined : await sender.send(message);
  print(message.firstTriedText, event, outcome);
  return { status: outcome ? (outcome.status ?? 502) : 200, body: outcome?.response };
}

/** The signature covers the URL, so the message is signed again for the receiver's URL; the retry headers are kept. */
function retryOf({ headers }: IncomingMessage) {
  const firstTriedText = String(headers['square-initial-delivery-timestamp']);
  const reason = headers['square-retry-reason'] as DeliveryFailure | undefined;
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
