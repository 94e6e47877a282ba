/** The demo business, Juniper & Rye: made once per database, with secrets that stay the same from start to start. */
import { insertAccount, updatePassword } from '../access/dashboard/queries.js';
import { insertPublishableKey } from '../access/devices/publishable-key-queries.js';
import { newAuthorization } from '../access/oauth/grants.js';
import {
  insertAuthorizationWithTokens,
  listApplications,
  moveAuthorizationsToRevoked,
} from '../access/oauth/queries.js';
import { hashPassword } from '../access/passwords.js';
import { moveTokensToRevoked } from '../access/token-queries.js';
import { recordPersonalToken } from '../access/tokens.js';
import { realNow } from '../base/clock.js';
import { newSecret, realIds } from '../base/ids.js';
import { hashAsText, hashSecret } from '../base/secrets.js';
import { DAY_MS, type Instant, instant, wholeSecond } from '../base/time.js';
import { createMerchant } from '../business/merchants/actions.js';
import { findDemoMerchant, findMerchantWithLocations } from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { listCallers } from '../identity/credential-queries.js';
import { PERMISSIONS, type Permission } from '../identity/permissions.js';
import { DEMO_MERCHANT, DEMO_PEOPLE, OWNER_EMAIL } from './demo-business.js';
import type { Demo, DemoFile, DemoSecrets } from './demo-file.js';
import { writeDemoHistory } from './demo-history.js';
import { Chance } from './history/chance.js';
import { chooseStaff, hireStaff } from './history/staff.js';
import { StoryIds } from './history/story.js';
import { lockDemo, updateStatistics } from './queries.js';

const TOKEN_LABEL = 'demo';

/** How the demo business is made where it is not there yet. */
export interface DemoOptions {
  /** With thirteen months of history; else with nothing but its places and people. */
  readonly history: boolean;
  readonly keyedHash: (text: string) => Buffer;
}

/** Makes the demo business if it is not there, in one transaction, and makes the secrets in `file` or new ones hold. */
export async function prepareDemo(database: Database, file: DemoFile | undefined, options: DemoOptions): Promise<Demo> {
  const kept = file && (await stillValid(database, file)) ? fromFile(file) : undefined;
  const secrets = kept ?? newSecrets();
  const passwordHash = kept ? undefined : await hashPassword(secrets.password);
  const merchantId = await database.transaction(async (tx) => {
    await lockDemo(tx);
    const existing = await findDemoMerchant(tx);
    const id = existing?.id ?? (await makeDemoBusiness(tx, { ...options, seed: SEED, now: realNow() }));
    if (passwordHash !== undefined) await replaceSecrets(tx, id, secrets, passwordHash, existing === undefined);
    return id;
  });
  const business = await findMerchantWithLocations(database.sql, merchantId);
  if (!business) throw new Error('the demo business vanished');
  const [application] = await listApplications(database.sql, merchantId);
  return { business, applicationId: application?.id, secrets };
}

function fromFile(file: DemoFile): DemoSecrets {
  return {
    accessToken: file.access_token,
    operatorKey: file.operator_key,
    password: file.dashboard.password,
    applicationToken: file.application?.access_token ?? '',
    publishableKey: file.publishable_key ?? '', // none in a file of an earlier version
  };
}

function newSecrets(): DemoSecrets {
  return {
    accessToken: newSecret('EAAA', 64),
    operatorKey: newSecret('opk_', 48),
    password: newSecret('', 20),
    applicationToken: newSecret('EAAA', 64),
    publishableKey: newSecret('pub_', 48),
  };
}

async function stillValid(database: Database, file: DemoFile): Promise<boolean> {
  const hash = hashAsText(String(file.access_token));
  const caller = (await listCallers(database.sql, [hash])).get(hash);
  return caller !== undefined && !caller.revoked && Boolean(file.operator_key && file.dashboard?.password);
}

/** Any number will do: the demo of all of us is the same but for its days. */
const SEED = 2014;

/** They opened a while before the history begins, and hired their people. */
const OPENED_DAYS_AGO = 420;

export interface DemoTime {
  readonly seed: number;
  readonly now: Instant;
  /** Fewer than thirteen months. */
  readonly historyDays?: number;
}

/** The same seed and time make the same business, identifiers included. */
export async function makeDemoBusiness(
  tx: Tx,
  { seed, now, history, historyDays, keyedHash }: DemoOptions & DemoTime,
): Promise<string> {
  const chance = new Chance(seed);
  const openedAt = wholeSecond(instant(now - OPENED_DAYS_AGO * DAY_MS));
  const ids = new StoryIds(chance, openedAt);
  const made = await createMerchant(tx, ids, DEMO_MERCHANT, { now, openedAt });
  const { merchant } = made;
  const payroll = { domain: 'juniper-and-rye.example', prefix: 'JR' };
  const staff = chooseStaff(ids, made, DEMO_PEOPLE, payroll);
  await hireStaff(tx, merchant.id, staff);
  if (history) {
    await writeDemoHistory(tx, { ...made, staff: staff.employees, chance, ids, now, keyedHash }, historyDays);
    await updateStatistics(tx);
  }
  return merchant.id;
}

/** What a shop on the web needs. */
const APPLICATION_PERMISSIONS = [
  'MERCHANT_PROFILE_READ',
  'PAYMENTS_READ',
  'PAYMENTS_WRITE',
  'ORDERS_READ',
  'ORDERS_WRITE',
] as const satisfies readonly Permission[];

async function replaceSecrets(
  tx: Tx,
  merchantId: string,
  { accessToken, applicationToken, publishableKey }: DemoSecrets,
  passwordHash: string,
  isNew: boolean,
): Promise<void> {
  const now = realNow();
  await moveTokensToRevoked(tx, merchantId, TOKEN_LABEL, now);
  await recordPersonalToken(tx, accessToken, { merchantId, permissions: PERMISSIONS, label: TOKEN_LABEL });
  const [application] = await listApplications(tx, merchantId);
  if (application) await allowApplication(tx, { merchantId, applicationId: application.id, now }, applicationToken);
  const { locations } = (await findMerchantWithLocations(tx, merchantId)) ?? { locations: [] };
  if (locations[0]) {
    const key = { id: realIds.newId(20), locationId: locations[0].id, createdAt: wholeSecond(now), revokedAt: null };
    await insertPublishableKey(tx, merchantId, key, hashSecret(publishableKey));
  }
  const account = { merchantId, email: OWNER_EMAIL, passwordHash };
  if (isNew) await insertAccount(tx, { ...account, accountId: realIds.newUuid(), createdAt: now });
  else await updatePassword(tx, account, now);
}

/** Longer than anybody keeps a sandbox: nobody is there to renew it. */
const APPLICATION_TOKEN_DAYS = 3650;

/** The owner has said yes to the merchant's own application, as the dashboard lists it; what held before ends. */
async function allowApplication(
  tx: Tx,
  { merchantId, applicationId, now }: { merchantId: string; applicationId: string; now: Instant },
  accessToken: string,
): Promise<void> {
  await moveAuthorizationsToRevoked(tx, { merchantId, applicationId, by: 'MERCHANT' }, now);
  const allowed = newAuthorization({ merchantId, applicationId, permissions: APPLICATION_PERMISSIONS }, now);
  await insertAuthorizationWithTokens(tx, allowed, {
    applicationId,
    accessHash: hashSecret(accessToken),
    accessExpiresAt: instant(now + APPLICATION_TOKEN_DAYS * DAY_MS),
    refreshHash: hashSecret(newSecret('EQAA', 64)),
    refreshExpiresAt: null,
    at: now,
    permissions: null,
  });
}
