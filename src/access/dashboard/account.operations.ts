/** Operations on the owner's sessions, the personal tokens and the audit log of the business. */
import { listOperation, operation } from '../../api/operation.js';
import {
  about,
  Bool,
  choice,
  model,
  Nothing,
  optional,
  present,
  type Static,
  Time,
  Type,
  text,
} from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { hashAsText, hashSecret } from '../../base/secrets.js';
import { type Instant, parseTime, printSeconds } from '../../base/time.js';
import { AUDIT_KINDS, actorOf, changeAudited } from '../../identity/audit.js';
import { listAuditEvents } from '../../identity/audit-queries.js';
import { PERMISSIONS } from '../../identity/permissions.js';
import { PERMISSION_DESCRIPTIONS } from '../oauth/permission-descriptions.js';
import { findToken, listTokens, moveTokenToRevoked, type TokenSummary } from '../token-queries.js';
import { createPersonalToken, isPersonal, toTokenId } from '../tokens.js';
import { AuditEventModel, toAuditEvent } from './audit.view.js';
import { listSessions, moveSessionsToRevoked, type SessionSummary, toSessionId } from './queries.js';
import { printSessionCookie } from './session-cookie.js';

const SessionModel = model('OwnerSession', {
  id: about('The id of the session.', Type.String()),
  surface: about(
    'Where it is used: `oauth2` means the page that authorizes applications.',
    choice(['dashboard', 'oauth2']),
  ),
  current: about('Whether it is the session of this request.', Bool),
  created_at: about('When the owner signed in.', Time),
  last_used_at: about('When it was last used, to within a few minutes.', Time),
  expires_at: about('When it ends by itself.', Time),
  address: about('The network address from which the owner signed in.', optional(Type.String())),
  user_agent: about('The browser, as it named itself.', optional(Type.String())),
});

function toSession(session: SessionSummary, current: string): Static<typeof SessionModel> {
  return {
    id: session.id,
    surface: session.surface,
    current: session.id === current,
    created_at: printSeconds(session.createdAt),
    last_used_at: printSeconds(session.lastUsedAt),
    expires_at: printSeconds(session.expiresAt),
    ...present({ address: session.address, user_agent: session.userAgent }),
  };
}

const TokenModel = model('PersonalToken', {
  id: about('The id of the token. It is not the token itself.', Type.String()),
  label: about('What the token is for, as its maker called it.', Type.String()),
  permissions: about('What the token may do.', Type.Array(Type.String())),
  created_at: about('When the token was created.', Time),
  expires_at: about('When the token expires. Absent if it does not.', optional(Time)),
  revoked_at: about('When the token was revoked. Absent while it works.', optional(Time)),
  last_used_at: about(
    'When the token was last used, to within a few minutes. Absent if it has not been used.',
    optional(Time),
  ),
});

function toToken(token: TokenSummary): Static<typeof TokenModel> {
  const print = (at: Instant | null) => (at === null ? null : printSeconds(at));
  return {
    id: toTokenId(token),
    label: token.label,
    permissions: token.permissions,
    created_at: printSeconds(token.createdAt),
    ...present({
      expires_at: print(token.expiresAt),
      revoked_at: print(token.revokedAt),
      last_used_at: print(token.lastUsedAt),
    }),
  };
}

/** More than anybody can keep track of. */
const MAX_TOKENS = 100;

function readExpiry(text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const at = parseTime(text);
  if (at !== undefined && at > realNow()) return at;
  throw new Refusal('INVALID_VALUE', { field: 'expires_at', detail: 'expires_at must be in the future.' });
}

export const dashboardAccountOperations = [
  operation({
    surface: 'dashboard',
    name: 'listSessions',
    method: 'GET',
    path: '/api/dashboard/sessions',
    permission: 'OWNER',
    summary: 'Lists the active sessions of the owner, newest first.',
    response: Type.Object({ sessions: about('Where the owner is signed in.', Type.Array(SessionModel)) }),
    async handle({ database, merchant, account, session }) {
      const current = toSessionId(hashAsText(session));
      const sessions = await listSessions(database.sql, { merchantId: merchant.id, accountId: account.id }, realNow());
      return { sessions: sessions.map((each) => toSession(each, current)) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'endSessions',
    method: 'DELETE',
    path: '/api/dashboard/sessions',
    permission: 'OWNER',
    summary: 'Ends all sessions of the owner, including the current one.',
    response: Nothing,
    async handle(context) {
      const { database, account, cookies, invalidateCredentials, merchant } = context;
      const entry = { kind: 'SESSIONS_ENDED', ...actorOf(context), details: { which: 'all' } } as const;
      const owner = { merchantId: merchant.id, accountId: account.id };
      await changeAudited(database, entry, (tx) => moveSessionsToRevoked(tx, owner, realNow()));
      invalidateCredentials(merchant.id);
      return { headers: { 'set-cookie': printSessionCookie(cookies, '', 0) }, body: {} };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'endSession',
    method: 'DELETE',
    path: '/api/dashboard/sessions/{session_id}',
    permission: 'OWNER',
    summary: 'Ends one session of the owner.',
    response: Nothing,
    async handle(context, { params: { session_id: id } }) {
      const { database, account, invalidateCredentials, merchant } = context;
      const entry = { kind: 'SESSIONS_ENDED', ...actorOf(context), details: { which: id.slice(0, 64) } } as const;
      const one = { merchantId: merchant.id, accountId: account.id, id };
      const found = await changeAudited(
        database,
        entry,
        async (tx) => (await moveSessionsToRevoked(tx, one, realNow())) > 0,
      );
      if (!found) throw notFound('session', id);
      invalidateCredentials(merchant.id);
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listTokens',
    method: 'GET',
    path: '/api/dashboard/tokens',
    permission: 'OWNER',
    summary: 'Lists the personal access tokens of the business, including revoked ones, oldest first.',
    response: Type.Object({
      tokens: about('The personal tokens of the business.', Type.Array(TokenModel)),
      permissions: about(
        'The permissions that a token can have, with their descriptions.',
        Type.Array(
          model('DescribedPermission', {
            permission: about('The name of the permission.', Type.String()),
            description: about('What it allows, for people.', Type.String()),
          }),
        ),
      ),
    }),
    async handle({ database, merchant }) {
      const permissions = PERMISSIONS.map((permission) => ({
        permission,
        description: PERMISSION_DESCRIPTIONS[permission],
      }));
      return { tokens: (await listTokens(database.sql, merchant.id)).filter(isPersonal).map(toToken), permissions };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createToken',
    method: 'POST',
    path: '/api/dashboard/tokens',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Creates a personal access token for the own business. It is shown only once.',
    body: Type.Object({
      label: about('What the token is for.', text(255, { minLength: 1 })),
      permissions: about(
        'What the token may do.',
        Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: PERMISSIONS.length }),
      ),
      expires_at: about('When the token expires. Default: never.', optional(Time)),
    }),
    example: { body: { label: 'Weekly report', permissions: ['PAYMENTS_READ', 'EMPLOYEES_READ'] } },
    response: Type.Object({
      token: about('What is known about the new token.', TokenModel),
      access_token: about('The new access token. Shown only here.', Type.String()),
    }),
    async handle(context, { body: { label, permissions, expires_at } }) {
      const { database, merchant } = context;
      const expiresAt = readExpiry(expires_at);
      const known = (await listTokens(database.sql, merchant.id)).filter(isPersonal);
      if (known.filter(({ revokedAt }) => revokedAt === null).length >= MAX_TOKENS) {
        throw new Refusal('CONFLICT', { detail: `A business can have ${MAX_TOKENS} valid tokens. Revoke one first.` });
      }
      const access_token = await createPersonalToken(database, {
        ...{ merchantId: merchant.id, label, expiresAt, actor: actorOf(context) },
        permissions: [...new Set(permissions)],
      });
      const created = await findToken(database.sql, merchant.id, hashSecret(access_token));
      return { token: toToken(requireFound(created, 'the new token')), access_token };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'revokeToken',
    method: 'DELETE',
    path: '/api/dashboard/tokens/{token_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Revokes a personal access token.',
    response: Nothing,
    async handle(context, { params: { token_id: id } }) {
      const { database, merchant, invalidateCredentials } = context;
      const tokens = (await listTokens(database.sql, merchant.id)).filter(isPersonal);
      const found = tokens.find((token) => toTokenId(token) === id);
      if (!found) throw notFound('personal access token', id);
      const entry = {
        kind: 'TOKEN_REVOKED',
        ...actorOf(context),
        details: { token_id: id, label: found.label },
      } as const;
      const hash = Buffer.from(found.hash, 'hex');
      await changeAudited(database, entry, (tx) => moveTokenToRevoked(tx, merchant.id, hash, realNow()));
      invalidateCredentials(merchant.id);
      return {};
    },
  }),

  listOperation({
    surface: 'dashboard',
    name: 'listAuditEvents',
    method: 'GET',
    path: '/api/dashboard/audit-events',
    permission: 'OWNER',
    summary: 'Lists the security events of the business, newest first.',
    page: { token: 'cursor', limit: { default: 100, max: 100, over: 'cap' }, keys: ['audit_events'] },
    query: Type.Object({ kind: about('Only events of this kind.', optional(choice(AUDIT_KINDS))) }),
    example: { query: { kind: 'DEVICE_PAIRED' } },
    item: AuditEventModel,
    async handle({ database, merchant }, { query: { kind }, page }) {
      const { items, next } = await listAuditEvents(database.sql, { merchantId: merchant.id, kind, page });
      return { items: items.map(toAuditEvent), next };
    },
  }),
];
