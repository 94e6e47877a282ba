/** Reads and writes `demo.json` in the data folder: the URL, ids and secrets of the demo business. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SECRET_FILES } from '../base/secret-files.js';
import type { MerchantWithLocations } from '../business/merchants/queries.js';
import { OWNER_EMAIL } from './demo-business.js';
import type { DemoRegister } from './demo-register.js';

export interface DemoSecrets {
  readonly accessToken: string;
  readonly operatorKey: string;
  readonly password: string;
  readonly applicationToken: string;
  /** For the checkout of the first location. */
  readonly publishableKey: string;
}

/** The content of `demo.json`. Scripts depend on the field names. */
export interface DemoFile {
  readonly base_url: string;
  readonly merchant_id: string;
  readonly location_ids: readonly string[];
  readonly access_token: string;
  readonly operator_key: string;
  readonly dashboard: { readonly email: string; readonly password: string };
  /** The merchant's own application; its token has the permissions of an online shop. */
  readonly application?: { readonly id: string; readonly access_token: string };
  /** For the pages of the first location's online store. */
  readonly publishable_key?: string;
  /** A paired register at the first location, and some of those who may sign in there. */
  readonly register?: {
    readonly device_id: string;
    readonly device_token: string;
    readonly employees: DemoRegister['employees'];
  };
}

export interface Demo {
  readonly business: MerchantWithLocations;
  /** Created together with the history. */
  readonly applicationId: string | undefined;
  readonly secrets: DemoSecrets;
  readonly register: DemoRegister | undefined;
}

export function demoFilePath(dataDir: string): string {
  return join(dataDir, SECRET_FILES.demo);
}

export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    return JSON.parse(await readFile(demoFilePath(dataDir), 'utf8')) as DemoFile;
  } catch {
    return undefined; // missing or invalid: new secrets are generated
  }
}

export async function writeDemoFile(
  dataDir: string,
  { business, applicationId, secrets, register }: Demo,
  baseUrl: string,
): Promise<void> {
  const content: DemoFile = {
    base_url: baseUrl,
    merchant_id: business.merchant.id,
    location_ids: business.locations.map(({ id }) => id),
    access_token: secrets.accessToken,
    operator_key: secrets.operatorKey,
    dashboard: { email: OWNER_EMAIL, password: secrets.password },
    ...(applicationId !== undefined && {
      application: { id: applicationId, access_token: secrets.applicationToken },
    }),
    ...(secrets.publishableKey !== '' && { publishable_key: secrets.publishableKey }),
    ...(register && {
      register: {
        device_id: register.deviceId,
        device_token: register.deviceToken,
        employees: register.employees,
      },
    }),
  };
  const path = demoFilePath(dataDir);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path); // atomic: readers see the old file or the new one
}
