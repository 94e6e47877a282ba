/** Credentials of a merchant for the surfaces of stores and registers. They are made when the first request needs them, and kept in memory. */
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { sendAsProgram } from '../../client/send-as-program.js';

export interface OwnRegister {
  readonly deviceToken: string;
  readonly session: string;
}

const registers = new Map<string, Promise<OwnRegister>>();

/** A register with a signed-in employee who may do everything. */
export function ownRegister(merchantId: string): Promise<OwnRegister> {
  const known = registers.get(merchantId);
  if (known) return known;
  const opened = call(sandbox.openRegister, { merchant_id: merchantId, name: 'Try it' }).then(
    ({ device_token, session }) => ({ deviceToken: device_token, session }),
  );
  registers.set(merchantId, opened);
  opened.catch(() => registers.delete(merchantId));
  return opened;
}

/** The key of the first store of the merchant that has a page: the page contains it. Undefined: no store is open. */
export async function findPageKey(merchantId: string): Promise<string | undefined> {
  const { merchant } = await call(sandbox.retrieveMerchant, { merchant_id: merchantId });
  for (const { id } of merchant.locations) {
    const page = await sendAsProgram({ method: 'GET', path: `/store/${id}`, headers: {}, body: undefined });
    const [, key] = /<meta name="publishable-key" content="(\w+)">/.exec(page.text) ?? [];
    if (key !== undefined) return key;
  }
  return undefined;
}
