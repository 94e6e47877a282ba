/** Creates the merchant for a replay in a sandbox: with the locations of the recording, and with a clock that shows its times. */
import { parseTime } from '../base/time.js';
import type { Fixture } from './fixture.js';
import { needsOf } from './needs.js';
import type { ReplayTarget } from './replay.js';

export interface ReplaySandbox {
  readonly url: string;
  readonly operatorKey: string;
  /** Calls an operation of the sandbox API. */
  call<Body>(method: 'POST', path: string, body: unknown): Promise<Body>;
}

interface Created {
  readonly merchant: { readonly id: string; readonly locations: readonly { readonly id: string }[] };
  readonly access_token: string;
}

export async function openReplayMerchant(server: ReplaySandbox, fixture: Fixture): Promise<ReplayTarget> {
  const { businessName, country, currency, locations } = needsOf(fixture);
  const now = fixture.exchanges[0]?.at;
  const { merchant, access_token } = await server.call<Created>('POST', 'merchants', {
    business_name: businessName ?? 'Replay',
    country,
    currency,
    ...(locations.length > 0 && { locations: locations.map(({ name, timezone }) => ({ name, timezone })) }),
    clock: { now, frozen: true },
  });
  const same = locations.map(({ id }, index) => [id, merchant.locations[index]?.id ?? ''] as const);
  return {
    url: server.url,
    token: access_token,
    operatorKey: server.operatorKey,
    same: new Map(same),
    isUsed: false,
    waitFor: clockOf(server, merchant.id, now),
  };
}

/** Moves the clock to the time of each request, so that what became due in the recording is due again. */
function clockOf(server: ReplaySandbox, merchantId: string, start = '') {
  let shown = parseTime(start) ?? 0;
  return async (at: string): Promise<void> => {
    const time = parseTime(at) ?? 0;
    if (time <= shown) return;
    shown = time;
    await server.call('POST', `merchants/${merchantId}/clock`, { now: at });
  };
}
