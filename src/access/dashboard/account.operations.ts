/** Operations on the owner's sessions, the personal tokens and the audit log of the business. */
import { listOperation, operation } from '../../api/operation.js';
import { choice, Flag, model, Nothing, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
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
  id: Type.String(),
  /** `dashboard`, or `oauth2` for the page that authorizes applications. */
  surface: choice(['dashboard', 'oauth2']),
  current: Flag,
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
  address: optional(Type.String()),
  user_agent: optional(Type.String()),
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
  id: Type.String(),
  label: Type.String(),
  permissions: Type.Array(Type.String()),
  created_at: Time,
  expires_at: optional(Time),
  revoked_at: optional(Time),
  /** To within a few minutes. Absent if it has not been used. */
  last_used_at: optional(Time),
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

/** More than anybody can keep in order. */
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
    response: Type.Object({ sessions: Type.Array(SessionModel) }),
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
      const { database, account, cookies, forget, merchant } = context;
      const entry = { kind: 'SESSIONS_ENDED', ...actorOf(context), details: { which: 'all' } } as const;
      const owner = { merchantId: merchant.id, accountId: account.id };
      await changeAudited(database, entry, (tx) => moveSessionsToRevoked(tx, owner, realNow()));
      forget(merchant.id);
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
      const { database, account, forget, merchant } = context;
      const entry = { kind: 'SESSIONS_ENDED', ...actorOf(context), details: { which: id.slice(0, 64) } } as const;
      const one = { merchantId: merchant.id, accountId: account.id, id };
      const found = await changeAudited(
        database,
        entry,
        async (tx) => (await moveSessionsToRevoked(tx, one, realNow())) > 0,
      );
      if (!found) throw notFound('session', id);
      forget(merchant.id);
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
      tokens: Type.Array(TokenModel),
      /** The permissions that a token can have, in words. */
      permissions: Type.Array(model('DescribedPermission', { permission: Type.String(), description: Type.String() })),
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
      label: text(255, { minLength: 1 }),
      permissions: Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: PERMISSIONS.length }),
      expires_at: optional(Time),
    }),
    response: Type.Object({ token: TokenModel, access_token: Type.String() }),
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
      const { database, merchant, forget } = context;
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
      forget(merchant.id);
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
    query: Type.Object({ kind: optional(choice(AUDIT_KINDS)) }),
    item: AuditEventModel,
    async handle({ database, merchant }, { query: { kind }, page }) {
      const { items, next } = await listAuditEvents(database.sql, { merchantId: merchant.id, kind, page });
      return { items: items.map(toAuditEvent), next };
    },
  }),
];
