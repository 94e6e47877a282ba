/** Sandbox operations that list what exists: merchants, tokens, applications, authorizations, subscriptions, and what becomes due. */
import {
  ApplicationModel,
  AuthorizationModel,
  toApplication,
  toAuthorization,
} from '../access/oauth/applications.view.js';
import { listAllApplications, listAuthorizedApplications } from '../access/oauth/queries.js';
import { listTokens, updateTokenExpiry } from '../access/token-queries.js';
import { toTokenId } from '../access/tokens.js';
import { listOperation, operation } from '../api/operation.js';
import { about, Nothing, optional, Type, text } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { listDueWork } from '../business/due-work/queries.js';
import { listMerchants } from '../business/merchants/queries.js';
import { listSubscriptionsAbout } from '../events/subscription-queries.js';
import { changeAudited } from '../identity/audit.js';
import { requireMerchant } from './actions.js';
import {
  DueWorkModel,
  ListedMerchant,
  ListedSubscription,
  SandboxToken,
  toDueWork,
  toListedMerchant,
  toListedSubscription,
  toSandboxToken,
} from './directory.view.js';

const MERCHANT = '/api/sandbox/merchants/{merchant_id}';
const PAGE = { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' } } as const;
/** Nobody looks further ahead than this. */
const MAX_DUE_WORK = 100;

export const sandboxDirectoryOperations = [
  listOperation({
    surface: 'sandbox',
    name: 'listMerchants',
    method: 'GET',
    path: '/api/sandbox/merchants',
    permission: 'OPERATOR',
    summary:
      'Lists all merchants with their clocks, newest first: by the time of their creation, which their clocks showed.',
    page: { ...PAGE, keys: ['merchants'] },
    query: Type.Object({
      text: about('Only merchants whose name contains this text, or whose id begins with it.', optional(text(255))),
    }),
    item: ListedMerchant,
    async handle({ database }, { query, page }) {
      const { items, next } = await listMerchants(database.sql, { text: query.text || undefined, page });
      return { items: items.map(toListedMerchant), next };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listTokens',
    method: 'GET',
    path: `${MERCHANT}/tokens`,
    permission: 'OPERATOR',
    summary: 'Lists the access tokens of a merchant, oldest first. The tokens themselves are not stored.',
    response: Type.Object({ tokens: about('The tokens.', Type.Array(SandboxToken)) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      return { tokens: (await listTokens(context.database.sql, merchant_id)).map(toSandboxToken) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'expireTokenById',
    method: 'POST',
    path: `${MERCHANT}/tokens/{token_id}/expire`,
    permission: 'OPERATOR',
    summary: 'Expires an access token immediately, by its id.',
    response: Nothing,
    async handle({ database, invalidateCredentials }, { params: { merchant_id, token_id } }) {
      const found = (await listTokens(database.sql, merchant_id)).find((each) => toTokenId(each) === token_id);
      if (!found) throw notFound('access token', token_id);
      const details = { token_id, by: 'expiry' };
      await changeAudited(database, { kind: 'TOKEN_REVOKED', merchantId: merchant_id, details }, (tx) =>
        updateTokenExpiry(tx, merchant_id, Buffer.from(found.hash, 'hex'), realNow()),
      );
      invalidateCredentials(merchant_id);
      return {};
    },
  }),

  listOperation({
    surface: 'sandbox',
    name: 'listApplications',
    method: 'GET',
    path: '/api/sandbox/applications',
    permission: 'OPERATOR',
    summary: 'Lists all applications, newest first.',
    page: { ...PAGE, keys: ['applications'] },
    item: ApplicationModel,
    async handle({ database }, { page }) {
      const { items, next } = await listAllApplications(database.sql, page);
      return { items: items.map(toApplication), next };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listAuthorizations',
    method: 'GET',
    path: `${MERCHANT}/authorizations`,
    permission: 'OPERATOR',
    summary: 'Lists the applications that a merchant has authorized, with their permissions.',
    response: Type.Object({ authorizations: about('The authorizations.', Type.Array(AuthorizationModel)) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      const found = await listAuthorizedApplications(context.database.sql, merchant_id);
      return { authorizations: found.map(toAuthorization) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listWebhookSubscriptions',
    method: 'GET',
    path: `${MERCHANT}/webhook-subscriptions`,
    permission: 'OPERATOR',
    summary: 'Lists the subscriptions of all applications that receive events about a merchant.',
    response: Type.Object({ subscriptions: about('The subscriptions.', Type.Array(ListedSubscription)) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      const found = await listSubscriptionsAbout(context.database.sql, merchant_id);
      return { subscriptions: found.map(toListedSubscription) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listDueWork',
    method: 'GET',
    path: `${MERCHANT}/due-work`,
    permission: 'OPERATOR',
    summary: 'Lists what becomes due for a merchant next, by its clock.',
    response: Type.Object({ due_work: about('What becomes due, in this order.', Type.Array(DueWorkModel)) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      return { due_work: (await listDueWork(context.database.sql, merchant_id, MAX_DUE_WORK)).map(toDueWork) };
    },
  }),
];
