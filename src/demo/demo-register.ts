/** Pairs a register of the demo business and gives passcodes to some of its employees, so that it can be used at once. */
import { recordDevice } from '../access/devices/pairing.js';
import { insertPasscode } from '../access/devices/queries.js';
import { hashPasscode } from '../access/passwords.js';
import { realNow } from '../base/clock.js';
import { newSecret } from '../base/ids.js';
import { hashAsText, hashSecret, type KeyedHash } from '../base/secrets.js';
import { listTeam } from '../business/attendants/queries.js';
import type { Database } from '../database/database.js';
import { listPairedDevices } from '../identity/credential-queries.js';
import type { Issuing } from '../identity/directory.js';
import { findMerchantOf } from '../identity/directory-queries.js';

export interface DemoRegister {
  readonly deviceId: string;
  readonly deviceToken: string;
  readonly employees: readonly { readonly id: string; readonly name: string; readonly passcode: string }[];
}

const NAME = 'Front register';

/** Somebody of each role at the first location. A passcode is of use only together with the token of the device. */
const PASSCODES: Readonly<Record<string, string>> = {
  'Maren Holt': '1111',
  'Tomas Okafor': '2222',
  'Priya Raman': '3333',
  'Caleb Whitlock': '4444',
};

/** Hashed before the transaction, because that takes time. */
export async function hashDemoPasscodes(keyedHash: KeyedHash): Promise<ReadonlyMap<string, string>> {
  const hashed = Object.entries(PASSCODES).map(
    async ([name, passcode]): Promise<[string, string]> => [name, await hashPasscode(keyedHash, passcode)],
  );
  return new Map(await Promise.all(hashed));
}

export async function pairDemoRegister(
  issuing: Issuing,
  { merchantId, locationId }: { readonly merchantId: string; readonly locationId: string },
  passcodeHashes: ReadonlyMap<string, string>,
): Promise<DemoRegister> {
  const { tx } = issuing;
  const deviceToken = newSecret('dev_', 64);
  const { id: deviceId } = await recordDevice(issuing, merchantId, { name: NAME, locationId }, hashSecret(deviceToken));
  const employees: DemoRegister['employees'][number][] = [];
  for (const { id, firstName, lastName } of await listTeam(tx, merchantId, { locationId })) {
    const name = `${firstName} ${lastName}`;
    const [passcode, passcodeHash] = [PASSCODES[name], passcodeHashes.get(name)];
    if (passcode === undefined || passcodeHash === undefined) continue;
    await insertPasscode(tx, { merchantId, employeeId: id, passcodeHash, at: realNow() });
    employees.push({ id, name, passcode });
  }
  return { deviceId, deviceToken, employees };
}

/** Whether a device of this token is still paired. */
export async function isPaired({ sql }: Database, deviceToken: string): Promise<boolean> {
  const hash = hashAsText(deviceToken);
  const merchantId = await findMerchantOf(sql, Buffer.from(hash, 'hex'));
  return merchantId !== undefined && (await listPairedDevices(sql, [{ hash, merchantId }])).has(hash);
}
