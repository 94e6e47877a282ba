/** `tillhouse token create|list|revoke`: manages personal access tokens. */
import { findToken, listTokens, moveTokenToRevoked, type TokenSummary } from '../access/token-queries.js';
import { createPersonalToken, toTokenId } from '../access/tokens.js';
import { realNow } from '../base/clock.js';
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { hashAsText } from '../base/secrets.js';
import { addDuration, type Instant, printSeconds } from '../base/time.js';
import { findDemoMerchant, findMerchant } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { changeAudited } from '../identity/audit.js';
import { listEntriesByHash } from '../identity/directory-queries.js';
import { isPermission, PERMISSIONS, type Permission } from '../identity/permissions.js';
import { OUTPUT_FLAG, withDatabase } from './command.js';
import { type Call, command } from './declare.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant of the token; default: the demo merchant' },
  permissions: { value: 'LIST', fallback: '', about: 'separated by commas; default: all' },
  'expires-in': { value: 'DURATION', fallback: '', about: 'such as P30D; default: never' },
  label: { value: 'TEXT', fallback: 'command line', about: 'the label in the list' },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
};

type TokenCall = Call<typeof FLAGS>;

export const token = command({
  name: 'token',
  summary: 'create, list and revoke access tokens',
  usage: 'create|list|revoke [TOKEN] [flags]',
  about: 'Manages personal access tokens.',
  flags: FLAGS,
  actions: { create: undefined, list: undefined, revoke: { is: 'token', like: 'TOKEN, or its id from `token list`' } },
  run: (call) => withDatabase(call.values, (database) => ACTIONS[call.action](database, call)),
});

const ACTIONS = {
  async create(database: Database, { values }: TokenCall): Promise<void> {
    const request = {
      merchantId: await merchantOf(database, values.merchant),
      permissions: permissionsOf(values.permissions),
      label: values.label,
      expiresAt: expiryOf(values['expires-in']),
    };
    console.log(await createPersonalToken(database, request));
  },

  async list(database: Database, { values }: TokenCall): Promise<void> {
    const tokens = await listTokens(database.sql, await merchantOf(database, values.merchant));
    if (values.output === 'json') return console.log(JSON.stringify(tokens.map(toOutput), null, 2));
    for (const each of tokens) {
      const expiry = each.expiresAt === null ? 'never expires' : `expires ${printSeconds(each.expiresAt)}`;
      const columns = [toTokenId(each), stateOf(each).padEnd(7), printSeconds(each.createdAt), expiry];
      console.log([...columns, printPermissions(each.permissions), each.label].join('  '));
    }
  },

  async revoke(database: Database, { word: tokenOrId }: TokenCall): Promise<void> {
    const found = await findTokenOrId(database, tokenOrId);
    if (!found) throw new UsageError('There is no such token.');
    const { merchantId, applicationId, label } = found;
    const hash = Buffer.from(found.hash, 'hex');
    const details = { token_id: toTokenId(found), label };
    await changeAudited(database, { kind: 'TOKEN_REVOKED', merchantId, applicationId, details }, (tx) =>
      moveTokenToRevoked(tx, merchantId, hash, realNow()),
    );
    console.log('Revoked.');
  },
};

/** The id is the beginning of the hash. */
async function findTokenOrId({ sql }: Database, tokenOrId: string): Promise<TokenSummary | undefined> {
  const byId = /^[0-9a-f]{16,64}$/.test(tokenOrId) ? await listEntriesByHash(sql, tokenOrId) : [];
  const [entry] = byId.length === 1 ? byId : await listEntriesByHash(sql, hashAsText(tokenOrId));
  return entry && findToken(sql, entry.merchantId, entry.hash);
}

async function merchantOf(database: Database, id: string): Promise<string> {
  const merchant = id === '' ? await findDemoMerchant(database.sql) : await findMerchant(database.sql, id);
  if (merchant) return merchant.id;
  throw new UsageError(
    id === '' ? '--merchant is required: there is no demo merchant.' : `There is no merchant ${id}.`,
  );
}

function permissionsOf(list: string): readonly Permission[] {
  if (list === '') return PERMISSIONS;
  return list.split(',').map((word) => {
    if (!isPermission(word)) throw new UsageError(`--permissions: there is no permission ${word}.`);
    return word;
  });
}

function expiryOf(duration: string): Instant | null {
  if (duration === '') return null;
  const expiry = addDuration(realNow(), duration);
  if (expiry === undefined) throw new UsageError(`--expires-in must be a duration such as P30D, not '${duration}'.`);
  return expiry;
}

/** A list of all of them would hide what matters. */
function printPermissions(permissions: readonly Permission[]): string {
  return permissions.length === PERMISSIONS.length ? 'all permissions' : permissions.join(',') || 'no permissions';
}

function toOutput(token: TokenSummary) {
  return {
    token_id: toTokenId(token),
    label: token.label,
    state: stateOf(token),
    application_id: token.applicationId,
    permissions: token.permissions,
    created_at: printSeconds(token.createdAt),
    expires_at: token.expiresAt === null ? null : printSeconds(token.expiresAt),
  };
}

function stateOf({ revokedAt, expiresAt }: TokenSummary): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= realNow()) return 'expired';
  return 'valid';
}
