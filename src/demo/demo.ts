/** Creates the demo business Juniper & Rye once per database; its secrets stay the same across restarts. */
import { insertAccount, updatePassword } from '../access/dashboard/queries.js';
import { insertPublishableKey } from '../access/devices/publishable-key-queries.js';
import { createPageKey } from '../access/devices/publishable-keys.js';
import { authorizeWithTokens, newAuthorization } from '../access/oauth/grants.js';
import { listApplications, moveAuthorizationsToRevoked } from '../access/oauth/queries.js';
import { hashPassword } from '../access/passwords.js';
import { moveTokensToRevoked } from '../access/token-queries.js';
import { recordPersonalToken } from '../access/tokens.js';
import { realNow } from '../base/clock.js';
import { newSecret, realIds } from '../base/ids.js';
import { hashAsText, hashSecret, type KeyedHash } from '../base/secrets.js';
import { DAY_MS, type Instant, instant, wholeSecond } from '../base/time.js';
import { insertScheduledWork } from '../business/due-work/queries.js';
import { createMerchant } from '../business/merchants/actions.js';
import { findDemoMerchant, findMerchantWithLocations } from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { useOneConnectionPerNode } from '../database/distribution.js';
import { listCallers } from '../identity/credential-queries.js';
import { type Issuing, issueCredentials } from '../identity/directory.js';
import { findMerchantOf } from '../identity/directory-queries.js';
import { PERMISSIONS, type Permission } from '../identity/permissions.js';
import { DEMO_MERCHANT, DEMO_PEOPLE, OWNER_EMAIL } from './demo-business.js';
import type { Demo, DemoFile, DemoSecrets } from './demo-file.js';
import { writeDemoHistory } from './demo-history.js';
import { type DemoRegister, hashDemoPasscodes, isPaired, pairDemoRegister } from './demo-register.js';
import { ScenarioIds } from './history/scenario.js';
import { SeededRandom } from './history/seeded-random.js';
import { generateStaff, insertStaff } from './history/staff.js';
import { lockDemo, updateStatistics } from './queries.js';

const TOKEN_LABEL = 'demo';

export interface DemoOptions {
  /** With thirteen months of history; otherwise only with locations and employees. */
  readonly history: boolean;
  readonly keyedHash: KeyedHash;
}

/** Creates the demo business in one transaction if it does not exist. Replaces the secrets unless those in `file` are valid. */
export async function prepareDemo(database: Database, file: DemoFile | undefined, options: DemoOptions): Promise<Demo> {
  const existingSecrets = file && (await isValid(database, file)) ? fromFile(file) : undefined;
  const secrets = existingSecrets ?? newSecrets();
  const knownRegister = existingSecrets && file && (await findRegister(database, file));
  // Hashing takes time. Meanwhile the history is written.
  const passwordHash = existingSecrets ? undefined : hashPassword(secrets.password);
  const passcodeHashes = knownRegister ? undefined : hashDemoPasscodes(options.keyedHash);
  for (const hashing of [passwordHash, passcodeHashes]) hashing?.catch(() => {}); // handled where they are awaited
  const {
    id: merchantId,
    isNew,
    paired,
  } = await issueCredentials(database, async (issuing) => {
    const { tx } = issuing;
    // Reads all merchants, and writes to reference tables afterwards.
    await useOneConnectionPerNode(tx);
    await lockDemo(tx);
    const existing = await findDemoMerchant(tx);
    const id = existing?.id ?? (await createDemoBusiness(tx, { ...options, seed: SEED, now: realNow() }));
    const isNew = existing === undefined;
    await openStorePages(issuing, options.keyedHash, id);
    if (passwordHash !== undefined) await replaceSecrets(issuing, id, secrets, await passwordHash, isNew);
    return { id, isNew, paired: passcodeHashes && (await pairAtFirstLocation(issuing, id, await passcodeHashes)) };
  });
  if (isNew && options.history) await database.statement(updateStatistics);
  const business = await findMerchantWithLocations(database.sql, merchantId);
  if (!business) throw new Error('the demo business was not found after it was created');
  const [application] = await listApplications(database.sql, merchantId);
  return { business, applicationId: application?.id, secrets, register: knownRegister ?? paired };
}

/** The register of the file, if it is still paired. A file of an earlier version has none. */
async function findRegister(database: Database, { register }: DemoFile): Promise<DemoRegister | undefined> {
  if (!register || !(await isPaired(database, String(register.device_token)))) return undefined;
  return { deviceId: register.device_id, deviceToken: register.device_token, employees: register.employees };
}

async function pairAtFirstLocation(
  issuing: Issuing,
  merchantId: string,
  passcodeHashes: ReadonlyMap<string, string>,
): Promise<DemoRegister | undefined> {
  const [first] = (await findMerchantWithLocations(issuing.tx, merchantId))?.locations ?? [];
  return first && pairDemoRegister(issuing, { merchantId, locationId: first.id }, passcodeHashes);
}

/** Opens the pages of all stores, also of a demo business that an earlier version created. */
async function openStorePages(issuing: Issuing, keyedHash: KeyedHash, merchantId: string): Promise<void> {
  const { locations } = (await findMerchantWithLocations(issuing.tx, merchantId)) ?? { locations: [] };
  for (const { id: locationId } of locations) await createPageKey(issuing, keyedHash, { merchantId, locationId });
}

function fromFile(file: DemoFile): DemoSecrets {
  return {
    accessToken: file.access_token,
    operatorKey: file.operator_key,
    password: file.dashboard.password,
    applicationToken: file.application?.access_token ?? '',
    publishableKey: file.publishable_key ?? '', // a file of an earlier version has none
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

async function isValid(database: Database, file: DemoFile): Promise<boolean> {
  const hash = hashAsText(String(file.access_token));
  const merchantId = await findMerchantOf(database.sql, Buffer.from(hash, 'hex'));
  if (merchantId === undefined) return false;
  const caller = (await listCallers(database.sql, [{ hash, merchantId }])).get(hash);
  return caller !== undefined && !caller.revoked && Boolean(file.operator_key && file.dashboard?.password);
}

/** Fixed, so that every demo business is the same except for its dates. */
const SEED = 2014;

/** Longer than the history: locations are opened and employees hired before it begins. */
const OPENED_DAYS_AGO = 420;

export interface DemoTime {
  readonly seed: number;
  readonly now: Instant;
  /** A shorter history, for tests. */
  readonly historyDays?: number;
}

/** The same seed and time create the same business, including ids. */
export async function createDemoBusiness(
  tx: Tx,
  { seed, now, history, historyDays, keyedHash }: DemoOptions & DemoTime,
): Promise<string> {
  const random = new SeededRandom(seed);
  const openedAt = wholeSecond(instant(now - OPENED_DAYS_AGO * DAY_MS));
  const ids = new ScenarioIds(random, openedAt);
  const created = await createMerchant(tx, ids, DEMO_MERCHANT, { now, openedAt });
  const { merchant } = created;
  const payroll = { domain: 'juniper-and-rye.example', prefix: 'JR' };
  const staff = generateStaff(ids, created, DEMO_PEOPLE, payroll);
  await insertStaff(tx, merchant.id, staff);
  if (history) {
    await writeDemoHistory(tx, { ...created, staff: staff.employees, random, ids, now, keyedHash }, historyDays);
    // The worker rolls the history up, so the server is ready before.
    await insertScheduledWork(tx, merchant.id, [{ kind: 'ROLL_UP_DAYS', subjectId: merchant.id, dueAt: now }]);
  }
  return merchant.id;
}

/** The permissions of an online shop. */
const APPLICATION_PERMISSIONS = [
  'MERCHANT_PROFILE_READ',
  'PAYMENTS_READ',
  'PAYMENTS_WRITE',
  'ORDERS_READ',
  'ORDERS_WRITE',
] as const satisfies readonly Permission[];

async function replaceSecrets(
  issuing: Issuing,
  merchantId: string,
  { accessToken, applicationToken, publishableKey }: DemoSecrets,
  passwordHash: string,
  isNew: boolean,
): Promise<void> {
  const { tx, enter } = issuing;
  const now = realNow();
  await moveTokensToRevoked(tx, merchantId, TOKEN_LABEL, now);
  await recordPersonalToken(issuing, accessToken, { merchantId, permissions: PERMISSIONS, label: TOKEN_LABEL });
  const [application] = await listApplications(tx, merchantId);
  if (application)
    await authorizeDemoApplication(issuing, { merchantId, applicationId: application.id, now }, applicationToken);
  const { locations } = (await findMerchantWithLocations(tx, merchantId)) ?? { locations: [] };
  if (locations[0]) {
    const key = { id: realIds.newId(20), locationId: locations[0].id, createdAt: wholeSecond(now), revokedAt: null };
    await insertPublishableKey(tx, merchantId, key, hashSecret(publishableKey));
    enter(merchantId, hashSecret(publishableKey));
  }
  const account = { merchantId, email: OWNER_EMAIL, passwordHash };
  if (isNew) await insertAccount(tx, { ...account, accountId: realIds.newUuid(), createdAt: now });
  else await updatePassword(tx, account, now);
}

/** The token is never refreshed, so it must outlive the sandbox. */
const APPLICATION_TOKEN_DAYS = 3650;

/** Authorizes the merchant's own application, as the owner would, and revokes earlier authorizations. */
async function authorizeDemoApplication(
  issuing: Issuing,
  { merchantId, applicationId, now }: { merchantId: string; applicationId: string; now: Instant },
  accessToken: string,
): Promise<void> {
  await moveAuthorizationsToRevoked(issuing.tx, { merchantId, applicationId, by: 'MERCHANT' }, now);
  const authorization = newAuthorization({ merchantId, applicationId, permissions: APPLICATION_PERMISSIONS }, now);
  await authorizeWithTokens(issuing, authorization, {
    applicationId,
    accessHash: hashSecret(accessToken),
    accessExpiresAt: instant(now + APPLICATION_TOKEN_DAYS * DAY_MS),
    refreshHash: hashSecret(newSecret('EQAA', 64)),
    refreshExpiresAt: null,
    at: now,
    permissions: null,
  });
}
