/**
 * Pairs a register by a code that it shows: the owner types the six digits in the dashboard (decision 0151). The register keeps a secret of
 * its own, which becomes its device token. So the code alone gives no access, and the server sends the token only once, with the code.
 */
import type { OwnerContext, ServerContext, VisitedContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newDigits, newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { HOUR_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { issueCredentials } from '../../identity/directory.js';
import { findMerchantOf } from '../../identity/directory-queries.js';
import { limitAttempts } from '../attempts.js';
import { recordDevice } from './pairing.js';
import {
  deleteExpiredCodes,
  hasPairingCode,
  insertPairingCode,
  movePairingCodeToTaken,
} from './pairing-code-queries.js';
import type { DeviceRecord } from './queries.js';

const LIFETIME_MS = 10 * MINUTE_MS;
const DIGITS = 6;
/** Few codes are in use at a time, so a second attempt nearly always finds a free one. */
const MAX_DRAWS = 10;
/** Wrong codes within 15 minutes. People mistype; nobody needs a tenth attempt. */
const MAX_FAILED_CODES = 10;
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

export type PairingState = 'WAITING' | 'PAIRED' | 'EXPIRED';

/** The state that the register polls while it shows its code. It is still WAITING between the two commits of `pairByCode`. */
export async function findPairingState(
  { database, limits, visitor }: VisitedContext,
  deviceToken: string,
): Promise<PairingState> {
  limits.guards.pairingPolls.count(visitor.network);
  const hash = hashSecret(deviceToken);
  if (await findMerchantOf(database.sql, hash)) return 'PAIRED';
  return (await hasPairingCode(database.sql, hash, realNow())) ? 'WAITING' : 'EXPIRED';
}

/** The code is taken first. After a crash the register waits until its code expires, and then asks for another one. */
export async function pairByCode(
  context: OwnerContext,
  { code, name, locationId }: { readonly code: string; readonly name: string; readonly locationId: string },
): Promise<DeviceRecord> {
  const { database, merchant, account, visitor, keyedHash } = context;
  const subjects = [
    { name: `pairing:${account.id}`, maxFailures: MAX_FAILED_CODES },
    { name: `pairing-network:${visitor.network}`, maxFailures: MAX_FAILED_CODES_PER_NETWORK },
  ] as const;
  const hash = hashCode(keyedHash, code.replaceAll(/\D/g, ''));
  const detail = 'Too many wrong codes. Try again later.';
  const tokenHash = await limitAttempts(
    database,
    [...subjects],
    () => database.statement((tx) => movePairingCodeToTaken(tx, hash, realNow())),
    detail,
  );
  if (!tokenHash) {
    throw new Refusal('INVALID_VALUE', {
      field: 'code',
      detail:
        'No register shows this code. It may have expired: look at the register, and type the code that it shows now.',
    });
  }
  return issueCredentials(database, async (issuing) => {
    const device = await recordDevice(issuing, merchant.id, { name, locationId }, tokenHash);
    const details = { by: 'code' };
    await recordAudit(issuing.tx, { kind: 'DEVICE_PAIRED', ...actorOf(context), deviceId: device.id, details });
    return device;
  });
}
