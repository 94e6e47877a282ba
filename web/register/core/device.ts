/** The device as it is paired with a location: its credential, settings, and what it needs to know offline. */
import { pairDemoDevice } from '../../client/demo.js';
import { Problem } from '../../client/problem.js';
import { createStore, type Store } from '../../client/store.js';
import { call, register } from './call.js';
import { credentials } from './credentials.js';
import { createKept, local } from './storage/kept.js';
import { askToPersist } from './storage/persistence.js';
import type { WireDevice } from './wire.js';

export interface Device extends Omit<WireDevice, 'test_sources'> {
  readonly token: string;
  /** Cards to tap, in a sandbox. */
  readonly testSources: NonNullable<WireDevice['test_sources']>;
}

/** What wants this register. */
export interface Asking {
  readonly business: string;
  readonly location: string;
  /** What the register would be called. */
  readonly name: string;
}

export interface Pairing {
  readonly code: string;
  readonly expiresAt: string;
  readonly paired: Promise<'PAIRED' | 'EXPIRED'>;
  /** Answers for the person at this register. Without agreement the code is gone. */
  answer(accept: boolean): Promise<void>;
  cancel(): void;
}

const ASK_AGAIN_MS = 2000;

const kept = createKept<Device | undefined>('device', undefined);

export const device: Pick<Store<Device | undefined>, 'get' | 'subscribe'> = kept;

/** The owner has removed this device, or the server does not know it any more. What waits to be sent is kept. */
export const isRevoked = createStore(false);

kept.subscribe(() => {
  credentials.token = kept.get()?.token;
});

/** Asks for a code that the owner types in the dashboard, and waits until somebody here has agreed to what the owner wants. */
export async function startPairing(onAsked: (asking: Asking) => void): Promise<Pairing> {
  const { code, device_token: token, expires_at: expiresAt } = await call(register.requestPairingCode);
  const stopping = new AbortController();
  const pause = new Pause();
  return {
    ...{ code, expiresAt },
    paired: untilPaired(token, { pause, signal: stopping.signal, onAsked }),
    async answer(accept) {
      await call(register.answerPairing, { device_token: token, accept });
      pause.end();
    },
    cancel: () => stopping.abort(),
  };
}

/** Between two requests. */
class Pause {
  #end = (): void => {};

  async take(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      setTimeout(resolve, ASK_AGAIN_MS);
    });
  }

  end(): void {
    this.#end();
  }
}

interface Waiting {
  readonly pause: Pause;
  readonly signal: AbortSignal;
  readonly onAsked: (asking: Asking) => void;
}

async function untilPaired(token: string, { pause, signal, onAsked }: Waiting): Promise<'PAIRED' | 'EXPIRED'> {
  for (let isAsked = false; ; ) {
    await pause.take();
    if (signal.aborted) return 'EXPIRED';
    const found = await call(register.showPairing, { device_token: token }).catch(() => undefined); // an outage: ask again
    if (found?.state === 'ASKED' && !isAsked) {
      isAsked = true;
      const { business_name: business = '', location_name: location = '', name = '' } = found;
      onAsked({ business, location, name });
    }
    if (found?.state === 'EXPIRED' || (found?.state === 'PAIRED' && (await hasPairedWith(token)))) return found.state;
  }
}

/** Returns false in an outage. The request is tried again, because the token is valid although its code can no longer be used. */
async function hasPairedWith(token: string): Promise<boolean> {
  try {
    await pairWith(token);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.isOutage) return false;
    throw error;
  }
}

/** A sandbox on its own machine offers the device of its demo. Returns who may sign in there, with passcodes. */
export async function pairWithDemo(): ReturnType<typeof pairDemoDevice> {
  const demo = await pairDemoDevice();
  await pairWith(demo.device_token);
  return demo;
}

async function pairWith(token: string): Promise<void> {
  credentials.token = token;
  await refreshDevice();
  await askToPersist();
}

/** Loads again what the owner may have changed. */
export async function refreshDevice(): Promise<void> {
  const { token } = credentials;
  if (token === undefined) return;
  try {
    const { test_sources: testSources = [], ...rest } = await call(register.showDevice);
    isRevoked.set(false);
    await kept.save({ ...rest, token, testSources });
  } catch (error) {
    noteRevocation(error);
    throw error;
  }
}

/** What may wait for the network. The token of a reader may not: it soon expires, and nobody would know whether the card pays. */
export function offlineRules({ offline, testSources }: Pick<Device, 'offline' | 'testSources'>): Device['offline'] {
  return testSources.length > 0 ? offline : { ...offline, cards_allowed: false };
}

/** Call it after an error of a request that was sent with the credential of the device only. */
export function noteRevocation(error: unknown): void {
  if (error instanceof Problem && error.status === 401) isRevoked.set(true);
}

/** Forgets the device and all that it keeps. Refused while writes wait: they would be lost. */
export async function unpair(): Promise<void> {
  const isEmpty = await local.write(['kept', 'writes', 'sent', 'verifiers'], async (access) => {
    if ((await access.all('writes')).length > 0) return false;
    await Promise.all((['kept', 'sent', 'verifiers'] as const).map((store) => access.clear(store)));
    return true;
  });
  if (!isEmpty) {
    throw new Problem(
      'There are sales that have not been sent. Send them first, or deal with those that were refused.',
      {
        ...{ status: 409, code: 'UNSENT_WRITES', field: undefined, requestId: undefined },
      },
    );
  }
  sessionStorage.clear();
  location.assign('/register');
}
