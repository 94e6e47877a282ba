/** The demo business, Juniper & Rye: made once per database, with secrets that stay the same from start to start. */
import { listApplications } from '../access/oauth-queries.js';
import { hashPassword } from '../access/passwords.js';
import { PERMISSIONS, type Permission } from '../access/permissions.js';
import { insertAccount, insertToken, listCallers, revokeTokensLabelled, updatePassword } from '../access/queries.js';
import { recordPersonalToken } from '../access/tokens.js';
import { realNow } from '../base/clock.js';
import { newSecret, newUuid, withIdsFrom } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import { DAY_MS, type Instant, instant, wholeSecond } from '../base/time.js';
import { createMerchant } from '../business/merchants/actions.js';
import { findDemoMerchant, findMerchantWithLocations } from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { DEMO_MERCHANT, OWNER_EMAIL } from './demo-business.js';
import type { Demo, DemoFile, DemoSecrets } from './demo-file.js';
import { writeDemoHistory } from './demo-history.js';
import { chooseDemoStaff, hireDemoStaff } from './demo-staff.js';
import { Chance } from './history/chance.js';
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
  };
}

function newSecrets(): DemoSecrets {
  return {
    accessToken: newSecret('EAAA', 64),
    operatorKey: newSecret('opk_', 48),
    password: newSecret('', 20),
    applicationToken: newSecret('EAAA', 64),
  };
}

async function stillValid(database: Database, file: DemoFile): Promise<boolean> {
  const hash = hashSecret(String(file.access_token)).toString('hex');
  const caller = (await listCallers(database.sql, [hash])).get(hash);
  return caller !== undefined && !caller.revoked && Boolean(file.operator_key && file.dashboard?.password);
}

/** Any number will do: the demo of all of us is the same but for its days. */
const SEED = 2014;

/** They opened a while before the history begins, and hired their people. */
const OPENED_DAYS_AGO = 420;

/** The same seed and time make the same business, identifiers included. */
export async function makeDemoBusiness(
  tx: Tx,
  { seed, now, history, keyedHash }: DemoOptions & { readonly seed: number; readonly now: Instant },
): Promise<string> {
  const chance = new Chance(seed);
  const openedAt = wholeSecond(instant(now - OPENED_DAYS_AGO * DAY_MS));
  const ids = new StoryIds(chance, openedAt);
  const { merchant, locations } = await withIdsFrom(ids, () => createMerchant(tx, DEMO_MERCHANT, { now, openedAt }));
  const staff = withIdsFrom(ids, () => chooseDemoStaff(merchant, locations));
  await hireDemoStaff(tx, merchant.id, staff);
  if (history) {
    await writeDemoHistory(tx, { merchant, locations, staff: staff.employees, chance, now, keyedHash });
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
  { accessToken, applicationToken }: DemoSecrets,
  passwordHash: string,
  isNew: boolean,
): Promise<void> {
  const now = realNow();
  await revokeTokensLabelled(tx, merchantId, TOKEN_LABEL, now);
  await recordPersonalToken(tx, accessToken, { merchantId, permissions: PERMISSIONS, label: TOKEN_LABEL });
  const [application] = await listApplications(tx, merchantId);
  if (application) {
    await insertToken(tx, {
      merchantId,
      applicationId: application.id,
      hash: hashSecret(applicationToken),
      permissions: APPLICATION_PERMISSIONS,
      label: TOKEN_LABEL,
      createdAt: now,
      expiresAt: null,
    });
  }
  const account = { merchantId, email: OWNER_EMAIL, passwordHash };
  if (isNew) await insertAccount(tx, { ...account, accountId: newUuid(), createdAt: now });
  else await updatePassword(tx, account, now);
}
