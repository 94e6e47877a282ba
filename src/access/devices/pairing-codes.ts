/**
 * Pairs a register by a code that it shows (decision 0151): the owner types the six digits in the dashboard, and the person at the register
 * agrees. The register keeps a secret of its own, which becomes its device token. So the code alone gives no access, and the server sends
 * the token only once, with the code.
 */
import type { OwnerContext, ServerContext, VisitedContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newDigits, newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import { constraintOf } from '../../database/constraints.js';
import { recordAudit } from '../../identity/audit.js';
import { enterCredential, issueCredentials } from '../../identity/directory.js';
import { findMerchantOf } from '../../identity/directory-queries.js';
import { limitAttempts } from '../attempts.js';
import { newDeviceId, recordDevice } from './pairing.js';
import {
  type Asking,
  deleteAskedCode,
  deleteExpiredCodes,
  findPairingCode,
  findPlace,
  insertPairingCode,
  movePairingCodeToAsked,
} from './pairing-code-queries.js';
import type { DeviceRecord } from './table.js';

const LIFETIME_MS = 10 * MINUTE_MS;
const DIGITS = 6;
/** Few codes are in use at a time, so a second attempt nearly always finds a free one. */
const MAX_DRAWS = 10;
/** Wrong codes within 15 minutes. People mistype; nobody needs a tenth attempt. A right code clears nothing: anybody can get one. */
const MAX_FAILED_CODES = 10;
/** An owner who sets up many registers on one day mistypes more often. */
const MAX_FAILED_CODES_PER_DAY = 20;
/** Within 15 minutes. Not for a day, because other owners may share the network with somebody who guesses. */
const MAX_FAILED_CODES_PER_NETWORK = 50;

export interface PairingCode {
  readonly code: string;
  readonly deviceToken: string;
  readonly expiresAt: Instant;
}

export async function requestPairingCode({
  database,
  keyedHash,
  limits,
  visitor,
}: VisitedContext): Promise<PairingCode> {
  limits.guards.pairingCodes.count(visitor.network);
  limits.guards.allPairingCodes.count('all');
  const createdAt = realNow();
  const expiresAt = instant(createdAt + LIFETIME_MS);
  const deviceToken = newSecret('dev_', 64);
  await database.statement((tx) => deleteExpiredCodes(tx, instant(createdAt - HOUR_MS)));
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const code = newDigits(DIGITS);
    const stored = { codeHash: hashCode(keyedHash, code), tokenHash: hashSecret(deviceToken), createdAt, expiresAt };
    if (await database.statement((tx) => insertPairingCode(tx, stored))) return { code, deviceToken, expiresAt };
  }
  throw new Refusal('SERVICE_UNAVAILABLE', { detail: 'Too many registers wait to be paired.', retryAfterSeconds: 60 });
}

/** A short code needs the server's key: without it, all codes could be tried against the hash. */
function hashCode(keyedHash: ServerContext['keyedHash'], code: string): Buffer {
  return keyedHash(`pairing code:${code}`);
}

/** Names that a register shows to the person who is asked. */
export interface PlaceAsked {
  readonly business: string;
  readonly location: string;
  readonly name: string;
}

export type PairingState =
  | { readonly state: 'WAITING' | 'PAIRED' | 'EXPIRED' }
  | { readonly state: 'ASKED'; readonly place: PlaceAsked };

/** The state that the register polls while it shows its code, and while it asks. */
export async function findPairingState(context: VisitedContext, deviceToken: string): Promise<PairingState> {
  const { database, limits, visitor } = context;
  limits.guards.pairingPolls.count(visitor.network);
  const hash = hashSecret(deviceToken);
  if (await findMerchantOf(database.sql, hash)) return { state: 'PAIRED' };
  const code = await findPairingCode(database.sql, hash, realNow());
  if (!code) return { state: 'EXPIRED' };
  if (!code.asking) return { state: 'WAITING' };
  const place = await findPlace(database.sql, code.asking);
  return place ? { state: 'ASKED', place: { ...place, name: code.asking.name } } : { state: 'EXPIRED' };
}

export interface AskedDevice extends DeviceRecord {
  /** Until when the person at the register can agree. */
  readonly expiresAt: Instant;
}

/** Takes the code. The register then asks whether this business may have it. */
export async function askToPair(
  context: OwnerContext,
  { code, name, locationId }: { readonly code: string; readonly name: string; readonly locationId: string },
): Promise<AskedDevice> {
  const { database, merchant, account, visitor, keyedHash } = context;
  const subjects = [
    { name: `pairing:${account.id}`, maxFailures: MAX_FAILED_CODES },
    { name: `pairing-day:${account.id}`, maxFailures: MAX_FAILED_CODES_PER_DAY, windowMs: DAY_MS },
    { name: `pairing-network:${visitor.network}`, maxFailures: MAX_FAILED_CODES_PER_NETWORK },
  ] as const;
  const hash = hashCode(keyedHash, code.replaceAll(/\D/g, ''));
  const device = { id: newDeviceId(), name, locationId };
  const asking = { merchantId: merchant.id, accountId: account.id, deviceId: device.id, name, locationId };
  const expiresAt = await limitAttempts(
    database,
    subjects,
    () => database.statement((tx) => movePairingCodeToAsked(tx, hash, asking, realNow())),
    { detail: 'Too many wrong codes. Try again later.', isClearedBySuccess: false },
  );
  if (expiresAt === undefined) {
    throw new Refusal('INVALID_VALUE', {
      field: 'code',
      detail:
        'No register shows this code. It may have expired: look at the register, and type the code that it shows now.',
    });
  }
  return { ...device, createdAt: wholeSecond(realNow()), unpairedAt: null, lastSeenAt: null, expiresAt };
}

/** The person at the register agrees or not. Without agreement the code is gone, and the register asks for another one. */
export async function answerPairing(
  context: VisitedContext,
  { deviceToken, accept }: { readonly deviceToken: string; readonly accept: boolean },
): Promise<PairingState> {
  const { database, limits, visitor } = context;
  limits.guards.pairingPolls.count(visitor.network);
  const hash = hashSecret(deviceToken);
  if (await findMerchantOf(database.sql, hash)) return { state: 'PAIRED' };
  const code = await findPairingCode(database.sql, hash, realNow());
  if (!code?.asking) return { state: code ? 'WAITING' : 'EXPIRED' };
  if (accept) {
    await pairAsked(context, code.asking, hash);
    return { state: 'PAIRED' };
  }
  await database.statement((tx) => deleteAskedCode(tx, hash));
  return { state: 'EXPIRED' };
}

/** An answer can be sent again after a crash: the id of the device is known. */
async function pairAsked(context: VisitedContext, asking: Asking, tokenHash: Buffer): Promise<void> {
  const { database, visitor, tellPages } = context;
  const { merchantId, accountId, deviceId, name, locationId } = asking;
  const entry = { kind: 'DEVICE_PAIRED', merchantId, accountId, deviceId, details: { by: 'code' } } as const;
  try {
    await issueCredentials(database, async (issuing) => {
      await recordDevice(issuing, merchantId, { id: deviceId, name, locationId }, tokenHash);
      await recordAudit(issuing.tx, { ...entry, address: visitor.address });
    });
  } catch (error) {
    if (constraintOf(error) !== 'devices_pkey') throw error;
    await enterCredential(database, merchantId, tokenHash);
  }
  tellPages(merchantId, ['devices', 'access']);
}
