/** Stands between a program and a server, on loopback: passes on what they say, and keeps a copy of each whole exchange (decision 0268). */
import { createServer, type IncomingMessage, request as openHttp, type ServerResponse } from 'node:http';
import { request as openHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { type Instant, SECOND_MS } from '../base/time.js';
import { Copy, type RawHeaders, type SeenMessage } from './copy.js';

/** An exchange as it was, with its secrets. */
export interface SeenExchange {
  readonly at: Instant;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly request: SeenMessage;
  readonly response: SeenMessage;
}

export interface RecorderOptions {
  readonly target: URL;
  /** 0: any free one. */
  readonly port: number;
  onExchange(exchange: SeenExchange): void;
  /** An exchange that was not recorded, and why. */
  onProblem(line: string): void;
}

export interface Recorder {
  /** The address for the program. */
  readonly url: string;
  /** Waits for exchanges in flight. */
  stop(): Promise<void>;
}

/** Headers of one connection. They are not passed on, and neither is what `connection` names. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect'],
];
const STOP_LIMIT_MS = 5 * SECOND_MS;

export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const inFlight = new Set<ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    inFlight.add(outgoing);
    outgoing.once('close', () => inFlight.delete(outgoing));
    passOn(incoming, outgoing, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (let waited = 0; inFlight.size > 0 && waited < STOP_LIMIT_MS; waited += 20) await sleep(20);
      server.closeAllConnections();
      await closed;
    },
  };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, options: RecorderOptions): void {
  const { target, onExchange, onProblem } = options;
  const { method = 'GET' } = incoming;
  const path = pathOf(incoming.url ?? '/');
  const line = `${method} ${path}`;
  const at = realNow();
  const began = performance.now();
  const sent = new Copy(incoming);
  // A new connection for each request: a kept one may just be closed by the server.
  const onward = (target.protocol === 'https:' ? openHttps : openHttp)({
    agent: false,
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method,
    path: target.pathname.replace(/\/$/, '') + path,
    headers: headersFor(incoming.rawHeaders, target),
    setHost: false,
  });
  let isGivenUp = false;
  const giveUp = (reason: string) => {
    if (isGivenUp) return;
    isGivenUp = true;
    onProblem(`${line}  not recorded: ${reason}`);
    onward.destroy();
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, reason);
  };
  onward.once('error', (error: NodeJS.ErrnoException) => {
    giveUp(`${target.origin} does not answer (${error.code ?? error.message}).`);
  });
  outgoing.once('close', () => outgoing.writableFinished || giveUp('the program has closed the connection.'));
  onward.once('response', (answer) => {
    const received = new Copy(answer);
    answer.once('error', () => giveUp(`${target.origin} has broken off its response.`));
    answer.once('aborted', () => giveUp(`${target.origin} has broken off its response.`));
    const status = answer.statusCode ?? 502;
    outgoing.writeHead(status, headersBack(answer.rawHeaders, target, `http://${incoming.headers.host}`).flat());
    answer.pipe(outgoing);
    outgoing.once('finish', () => {
      const [request, response] = [sent.message(), received.message()];
      const say = (reason: string) => onProblem(`${line}  ${status}  not recorded: ${reason}`);
      if (typeof request === 'string') return say(request);
      if (typeof response === 'string') return say(response);
      onExchange({ at, durationMs: performance.now() - began, method, path, status, request, response });
    });
  });
  incoming.pipe(onward);
}

/** A request for a proxy names a host too, which does not matter here: everything goes to the target. */
function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed ? parsed.pathname + parsed.search : '/';
}

function pairsWithout(raw: RawHeaders, omitted: readonly string[]): [name: string, value: string][] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()));
  const gone = new Set([...HOP_BY_HOP, ...named, ...omitted]);
  return pairs.filter(([name]) => !gone.has(name.toLowerCase())).map(([name, value]) => [name, value]);
}

/** The response should not be compressed, so that its text can be recorded. */
function headersFor(raw: RawHeaders, target: URL): string[] {
  const kept = pairsWithout(raw, ['host', 'accept-encoding']);
  return [['host', target.host], ['accept-encoding', 'identity'], ...kept].flat();
}

/** A link to the next page leads through the recorder too. */
function headersBack(raw: RawHeaders, target: URL, own: string): [string, string][] {
  return pairsWithout(raw, []).map(([name, value]) => {
    const leads = ['link', 'location', 'content-location'].includes(name.toLowerCase());
    return [name, leads ? value.replaceAll(target.href.replace(/\/$/, ''), own) : value];
  });
}

function refuse(outgoing: ServerResponse, reason: string): void {
  const error = { category: 'API_ERROR', code: 'BAD_GATEWAY', detail: `tillhouse record: ${reason}` };
  outgoing
    .writeHead(502, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify({ errors: [error] }));
}
