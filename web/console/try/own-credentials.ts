/** Credentials of a merchant for the surfaces of stores and registers. They are made when the first request needs them, and kept in memory. */
import { SAMPLE_PASSCODE } from '../../../src/api/sample-ids.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { sendAsProgram } from '../../client/send-as-program.js';

export interface OwnRegister {
  readonly deviceToken: string;
  readonly session: string;
  readonly employeeId: string;
  readonly locationId: string;
}

const registers = new Map<string, Promise<OwnRegister>>();

/** A register with a signed-in employee who has all permissions. `locationId` absent: at the first location. */
export function ownRegister(merchantId: string, locationId?: string): Promise<OwnRegister> {
  const place = placeOf(merchantId, locationId);
  const known = registers.get(place);
  if (known) return known;
  const opened = openRegister(merchantId, locationId);
  registers.set(place, opened);
  opened.catch(() => registers.delete(place));
  return opened;
}

async function openRegister(merchantId: string, wanted: string | undefined): Promise<OwnRegister> {
  const location_id = wanted ?? (await listLocations(merchantId))[0]?.id;
  const { device_token, session, employee_id } = await call(sandbox.openRegister, {
    ...{ merchant_id: merchantId, name: 'Try it', location_id, passcode: SAMPLE_PASSCODE },
  });
  return { deviceToken: device_token, session, employeeId: employee_id, locationId: location_id ?? '' };
}

/** Call it when the session of the register has ended: the next request makes another register. */
export function forgetRegister(merchantId: string, locationId?: string): void {
  registers.delete(placeOf(merchantId, locationId));
}

function placeOf(merchantId: string, locationId = ''): string {
  return `${merchantId} ${locationId}`;
}

export async function listLocations(merchantId: string) {
  return (await call(sandbox.retrieveMerchant, { merchant_id: merchantId })).merchant.locations;
}

/** The publishable key of the first open store of the merchant or the location, from its page. Undefined: no store is open. */
export async function findPageKey(merchantId: string, locationId?: string): Promise<string | undefined> {
  const locations = locationId === undefined ? await listLocations(merchantId) : [{ id: locationId }];
  for (const { id } of locations) {
    const page = await sendAsProgram({ method: 'GET', path: `/store/${id}`, headers: {}, body: undefined });
    const [, key] = /<meta name="publishable-key" content="(\w+)">/.exec(page.text) ?? [];
    if (key !== undefined) return key;
  }
  return undefined;
}
