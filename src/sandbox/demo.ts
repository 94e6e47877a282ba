/** The demo business, Juniper & Rye: made once per database, with secrets that stay the same from start to start. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashPassword } from '../access/passwords.js';
import { PERMISSIONS } from '../access/permissions.js';
import { insertAccount, listCallers, revokeTokensLabelled, updatePassword } from '../access/queries.js';
import { recordPersonalToken } from '../access/tokens.js';
import { realNow } from '../base/clock.js';
import { newSecret, newUuid } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import { createMerchant } from '../business/merchants/actions.js';
import {
  findDemoMerchant,
  findMerchantWithLocations,
  type MerchantWithLocations,
} from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { DEMO_MERCHANT, OWNER_EMAIL } from './demo-business.js';
import { hireDemoStaff } from './demo-staff.js';
import { lockDemo } from './queries.js';

const TOKEN_LABEL = 'demo';

export interface DemoSecrets {
  readonly accessToken: string;
  readonly operatorKey: string;
  readonly password: string;
}

/** What `demo.json` holds, under the names that scripts read. */
export interface DemoFile {
  readonly base_url: string;
  readonly merchant_id: string;
  readonly location_ids: readonly string[];
  readonly access_token: string;
  readonly operator_key: string;
  readonly dashboard: { readonly email: string; readonly password: string };
}

export interface Demo {
  readonly business: MerchantWithLocations;
  readonly secrets: DemoSecrets;
}

export function demoFilePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    return JSON.parse(await readFile(demoFilePath(dataDir), 'utf8')) as DemoFile;
  } catch {
    return undefined; // gone or spoiled: new secrets are made
  }
}

export async function writeDemoFile(dataDir: string, { business, secrets }: Demo, baseUrl: string): Promise<void> {
  const content: DemoFile = {
    base_url: baseUrl,
    merchant_id: business.merchant.id,
    location_ids: business.locations.map(({ id }) => id),
    access_token: secrets.accessToken,
    operator_key: secrets.operatorKey,
    dashboard: { email: OWNER_EMAIL, password: secrets.password },
  };
  const path = demoFilePath(dataDir);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path); // readers see the old file or the new one, never half of one
}

/** Makes the demo business if it is not there, in one transaction, and makes the secrets in `file` or new ones hold. */
export async function prepareDemo(database: Database, file: DemoFile | undefined): Promise<Demo> {
  const kept = file && (await stillValid(database, file)) ? fromFile(file) : undefined;
  const secrets = kept ?? newSecrets();
  const passwordHash = kept ? undefined : await hashPassword(secrets.password);
  const merchantId = await database.transaction(async (tx) => {
    await lockDemo(tx);
    const existing = await findDemoMerchant(tx);
    const id = existing?.id ?? (await makeBusiness(tx));
    if (passwordHash !== undefined)
      await replaceSecrets(tx, id, secrets.accessToken, passwordHash, existing === undefined);
    return id;
  });
  const business = await findMerchantWithLocations(database.sql, merchantId);
  if (!business) throw new Error('the demo business vanished');
  return { business, secrets };
}

function fromFile(file: DemoFile): DemoSecrets {
  return { accessToken: file.access_token, operatorKey: file.operator_key, password: file.dashboard.password };
}

function newSecrets(): DemoSecrets {
  return { accessToken: newSecret('EAAA', 64), operatorKey: newSecret('opk_', 48), password: newSecret('', 20) };
}

async function stillValid(database: Database, file: DemoFile): Promise<boolean> {
  const hash = hashSecret(String(file.access_token)).toString('hex');
  const caller = (await listCallers(database.sql, [hash])).get(hash);
  return caller !== undefined && !caller.revoked && Boolean(file.operator_key && file.dashboard?.password);
}

async function makeBusiness(tx: Tx): Promise<string> {
  const { merchant, locations } = await createMerchant(tx, DEMO_MERCHANT);
  await hireDemoStaff(tx, merchant, locations);
  return merchant.id;
}

async function replaceSecrets(
  tx: Tx,
  merchantId: string,
  token: string,
  passwordHash: string,
  isNew: boolean,
): Promise<void> {
  const now = realNow();
  await revokeTokensLabelled(tx, merchantId, TOKEN_LABEL, now);
  await recordPersonalToken(tx, token, { merchantId, permissions: PERMISSIONS, label: TOKEN_LABEL });
  const account = { merchantId, email: OWNER_EMAIL, passwordHash };
  if (isNew) await insertAccount(tx, { ...account, accountId: newUuid(), createdAt: now });
  else await updatePassword(tx, account, now);
}
