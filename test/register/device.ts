/**
 * A register for tests without a browser: the queue of the pages, with its storage on an IndexedDB for Node.js and requests over real HTTP,
 * through a network that can be cut.
 */
import { indexedDB } from 'fake-indexeddb';
import { instant } from '../../src/base/time.js';
import { operationsOn } from '../../src/operations.js';
import type { Callable } from '../../web/client/callable.js';
import { Problem } from '../../web/client/problem.js';
import { sendRequest } from '../../web/client/send.js';
import type { KeptOperation, QueuedWrite } from '../../web/register/core/queue/model.js';
import { Sender, type WriteResult } from '../../web/register/core/queue/sender.js';
import { StoredWrites } from '../../web/register/core/queue/stored-writes.js';
import { LocalDatabase } from '../../web/register/core/storage/local-database.js';
import type { Register } from '../support/people.js';
import { signWrite } from '../support/signing.js';

/** What happens to the next request: it arrives, it is lost, or its response is lost after the server has committed. */
export type Fate = 'arrives' | 'is lost' | 'loses its response';

/** The network between the register and the server. Replaces `fetch`, which needs an address with a host in Node.js. */
export class Network {
  readonly #baseUrls: readonly string[];
  #requests = 0;
  readonly #fetch = globalThis.fetch;
  #fates: Fate[] = [];
  isUp = true;
  /** The register gets an error of the server for requests with this text in their body. */
  poison: string | undefined;

  /** With several servers they take turns, as behind a load balancer. */
  constructor(...baseUrls: readonly string[]) {
    this.#baseUrls = baseUrls;
  }

  /** Sets what happens to the next requests, in order. */
  plan(fates: readonly Fate[]): void {
    this.#fates.push(...fates);
  }

  heal(): void {
    this.#fates = [];
    this.isUp = true;
    this.poison = undefined;
  }

  readonly fetch: typeof fetch = async (path, options) => {
    const fate = this.isUp ? (this.#fates.shift() ?? 'arrives') : 'is lost';
    if (fate === 'is lost') throw new TypeError('the network is gone');
    if (this.poison !== undefined && String(options?.body).includes(this.poison))
      return new Response('', { status: 500 });
    const baseUrl = this.#baseUrls[this.#requests++ % this.#baseUrls.length];
    const response = await this.#fetch(`${baseUrl}${path}`, options);
    if (fate === 'arrives') return response;
    await response.arrayBuffer();
    throw new TypeError('the network was cut');
  };
}

const operations = new Map(
  operationsOn('register').map((operation) => [operation.name as string, operation as Callable]),
);

function find(name: string): Callable {
  const found = operations.get(name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
}

/** The lock that all tabs of a device share: one of them runs at a time. */
class Lock {
  #last: Promise<unknown> = Promise.resolve();

  request<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** One browser on one device. Tabs share storage and lock. */
export class TestTablet {
  readonly #register: Register;
  readonly #network: Network;
  readonly #lock = new Lock();
  /** How far the clock of the tablet is ahead. */
  readonly #aheadMs: number;
  /** Somebody who signed in offline has no session. */
  hasSession = true;
  #tabs: { database: LocalDatabase; sender: Sender }[] = [];

  constructor(register: Register, network: Network, { aheadMs = 0 } = {}) {
    this.#register = register;
    this.#network = network;
    this.#aheadMs = aheadMs;
    globalThis.indexedDB = indexedDB;
  }

  /** Returns a tab. Opens it if it is not open. */
  tab(index = 0): Sender {
    for (; this.#tabs.length <= index; this.#open());
    return (this.#tabs[index] as { sender: Sender }).sender;
  }

  /** Power-off: only what is on the disk is left. */
  async restart(): Promise<void> {
    for (const { database } of this.#tabs) await database.close();
    this.#tabs = [];
  }

  writes(): Promise<QueuedWrite[]> {
    return this.stored.list();
  }

  get stored(): StoredWrites {
    this.tab();
    return new StoredWrites((this.#tabs[0] as { database: LocalDatabase }).database);
  }

  send(operation: KeptOperation, { id, ...body }: { id?: string; [name: string]: unknown }, tab = 0) {
    const { employeeId, session, signingKey, device } = this.#register;
    const sign = async (write: Pick<QueuedWrite, 'id' | 'operation' | 'body'>, time: string) =>
      signWrite(signingKey, { ...write, deviceId: device.id, employeeId, time });
    const person = { employeeId, sign, session: this.hasSession ? session : undefined };
    return this.tab(tab).send({ operation, body, ...person, ...(id !== undefined && { id }) });
  }

  /** Sends all writes that wait, in two tabs at once. */
  async sendAll(): Promise<void> {
    const results = await Promise.allSettled([this.tab(0).sendAll(), this.tab(1).sendAll()]);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }

  #open(): void {
    const { device } = this.#register;
    const database = new LocalDatabase(device.id);
    const authorization = { authorization: `Bearer ${device.token}` };
    const own = () => Date.now() + this.#aheadMs;
    const sender = new Sender({
      writes: new StoredWrites(database),
      exclusively: (work) => this.#lock.request(work),
      sendDirectly: (operation, input, session) =>
        sendRequest(find(operation), input, {
          headers: { ...authorization, 'tillhouse-employee-session': session },
        }),
      sendQueue: (queue) =>
        sendRequest(find('sendQueue'), queue, { headers: authorization }) as Promise<{
          results: readonly WriteResult[];
        }>,
      now: () => instant(own() - this.#aheadMs),
      async readClock() {
        const { now } = (await sendRequest(find('showDevice'), {}, { headers: authorization })) as { now: string };
        return { own: own(), offset: Date.parse(now) - own() };
      },
      isOnline: () => this.#network.isUp,
      onChange: async () => {},
      onEndedSession: () => {},
      onAccepted: () => {},
    });
    this.#tabs.push({ database, sender });
  }
}

/** Whether the network may have cut an attempt. */
export function isOutage(error: unknown): boolean {
  return error instanceof Problem && error.isOutage;
}
