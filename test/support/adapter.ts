/** The example adapter as a process of its own, and a proxy in front of it that loses, delays, doubles and garbles what passes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessorBooks } from './faulty-processor.js';
import { LocalServer } from './local-server.js';

export const ADAPTER_SECRET = '3f1c9a7be04d5862d7c1a9e05b3f8c46';
const PROGRAM = fileURLToPath(new URL('../../examples/processor-adapter/adapter.mjs', import.meta.url));

/** The adapter keeps its journal over restarts. Restarts of the same object also keep its port. */
export class AdapterProcess {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<AdapterProcess> {
    const adapter = new AdapterProcess(await mkdtemp(join(tmpdir(), 'tillhouse-adapter-')));
    await adapter.restart();
    return adapter;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get #journal(): string {
    return join(this.#folder, 'journal.jsonl');
  }

  /** `secret` can be two, separated by a comma. */
  async restart(secret = ADAPTER_SECRET): Promise<void> {
    const env = {
      PATH: process.env['PATH'],
      PORT: String(this.#port),
      ADAPTER_JOURNAL: this.#journal,
      TILLHOUSE_PROCESSOR_SECRET: secret,
    };
    this.#child = spawn(process.execPath, [PROGRAM], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(this.#child.stdout ?? this.#child, 'data');
    const [, port] = /:(\d+)\s*$/.exec(String(line)) ?? [];
    if (port === undefined) throw new Error(`the adapter said ${line}`);
    this.#port = Number(port);
  }

  /** Ends it as a crash does: it finishes nothing. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Its books, added up from the journal by other code than its own. */
  async readBooks(): Promise<Pick<ProcessorBooks, 'accounts' | 'complaints'> & { readonly calls: readonly string[] }> {
    const lines = (await readFile(this.#journal, 'utf8')).split('\n').filter(Boolean);
    const entries = lines.map((line) => JSON.parse(line));
    const bodies = new Map(entries.filter(({ body }) => body).map(({ key, body }) => [key, body]));
    const accounts: ProcessorBooks['accounts'] = new Map();
    const calls: string[] = [];
    for (const { key, answer } of entries.filter((entry) => entry.answer)) {
      const { payment_id: id, amount_money: money, capture } = bodies.get(key);
      const account = accounts.get(id);
      calls.push(`${answer.outcome} ${id}`);
      if (answer.outcome === 'approved') {
        if (account) throw new Error(`${id} is approved twice`);
        accounts.set(id, { held: answer.amount, captured: capture ? answer.amount : 0, voided: false, refunded: 0 });
      }
      if (!account) continue;
      if (answer.outcome === 'captured') account.captured += account.held;
      if (answer.outcome === 'voided') account.voided = true;
      if (answer.outcome === 'refunded') account.refunded += money.amount;
    }
    return { accounts, complaints: [], calls };
  }
}

/** What happens to a request that acts. Look-ups pass, unless all of the network is down. */
export type AdapterFault =
  | 'is lost'
  | 'is lost after it has acted'
  | 'hangs'
  | 'hangs after it has acted'
  | 'arrives twice'
  | 'is answered with 500'
  | 'is answered with half a body'
  | 'is answered with another outcome'
  | 'is answered with a wrong amount'
  | 'is answered with a redirect';

export const ADAPTER_FAULTS: readonly AdapterFault[] = [
  'is lost',
  'is lost after it has acted',
  'hangs',
  'hangs after it has acted',
  'arrives twice',
  'is answered with 500',
  'is answered with half a body',
  'is answered with another outcome',
  'is answered with a wrong amount',
  'is answered with a redirect',
];

export class FaultyNetwork extends LocalServer {
  readonly #target: () => string;
  #faults: { readonly action: string; readonly fault: AdapterFault }[] = [];
  /** Whether look-ups get a response. */
  answersLookUps = true;
  /** Method and path of what has arrived. */
  readonly requests: string[] = [];

  private constructor(target: () => string) {
    super();
    this.#target = target;
  }

  static start(target: () => string): Promise<FaultyNetwork> {
    return new FaultyNetwork(target).listen();
  }

  failNext(action: string, fault: AdapterFault, times = 1): void {
    this.#faults.push(...Array.from({ length: times }, () => ({ action, fault })));
  }

  heal(): void {
    this.#faults = [];
    this.answersLookUps = true;
  }

  protected override async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    this.requests.push(`${method} ${url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const forward = () =>
      fetch(this.#target() + url, {
        method,
        headers: { 'tillhouse-signature': String(headers['tillhouse-signature']), 'content-type': 'application/json' },
        ...(method === 'POST' && { body }),
      });
    const answer = async (status: number, text: string, more = {}) =>
      outgoing.writeHead(status, { 'content-type': 'application/json', ...more }).end(text);
    const index = this.#faults.findIndex(({ action }) => url === `/${action}`);
    const [found] = index < 0 ? [] : this.#faults.splice(index, 1);
    try {
      if (method === 'GET' && !this.answersLookUps) return void incoming.socket.destroy();
      if (found?.fault === 'is lost') return void incoming.socket.destroy();
      if (found?.fault === 'hangs') return;
      if (found?.fault === 'is answered with 500') return void answer(500, '{}');
      if (found?.fault === 'is answered with a redirect')
        return void answer(307, '{}', { location: `${this.#target()}${url}` });
      if (found?.fault === 'arrives twice') await (await forward()).text();
      const response = await forward();
      const text = await response.text();
      switch (found?.fault) {
        case 'is lost after it has acted':
          return void incoming.socket.destroy();
        case 'hangs after it has acted':
          return;
        case 'is answered with half a body':
          return void answer(response.status, text.slice(0, text.length / 2));
        case 'is answered with another outcome':
          return void answer(response.status, '{"outcome": "perhaps"}');
        case 'is answered with a wrong amount':
          return void answer(response.status, text.replace(/"amount":\d+/, '"amount":7').replace('ed"', 'et"'));
        default:
          return void answer(response.status, text);
      }
    } catch {
      incoming.socket.destroy();
    }
  }
}
