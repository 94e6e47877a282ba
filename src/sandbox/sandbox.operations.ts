/** Sandbox operations on merchants, clocks, bank accounts and tokens; not available in production mode (decision 0050). */
import { updateTokenExpiry } from '../access/token-queries.js';
import { createPersonalToken, toTokenId } from '../access/tokens.js';
import { operation } from '../api/operation.js';
import { SAMPLE_SECRETS } from '../api/sample-ids.js';
import { about, Bool, optional, Type, text } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashSecret } from '../base/secrets.js';
import { parseTime } from '../base/time.js';
import { ACCOUNT_FIELDS, AccountNumber, LinkedAccount, toLinkedAccount } from '../business/bank-accounts/view.js';
import type { ClockMove } from '../business/merchants/model.js';
import { changeAudited } from '../identity/audit.js';
import { findMerchantOf } from '../identity/directory-queries.js';
import { PERMISSIONS } from '../identity/permissions.js';
import {
  changeClock,
  linkTestAccount,
  openMerchant,
  requireMerchant,
  requireMerchantWithLocations,
  setApproval,
} from './actions.js';
import { DueWorkModel, toDueWork } from './directory.view.js';
import {
  ClockChangeBody,
  fromNewSandboxMerchant,
  NewSandboxMerchant,
  NewToken,
  SandboxClock,
  SandboxMerchant,
  toSandboxClock,
  toSandboxMerchant,
} from './view.js';

const ClockAnswer = Type.Object({ clock: about("The merchant's clock.", SandboxClock) });
const TokenResponse = Type.Object({ access_token: about('The new access token. Shown only here.', Type.String()) });

export const sandboxMerchantOperations = [
  operation({
    surface: 'sandbox',
    name: 'createMerchant',
    method: 'POST',
    path: '/api/sandbox/merchants',
    permission: 'OPERATOR',
    summary: 'Creates an isolated merchant with locations and an access token with all permissions.',
    body: NewSandboxMerchant,
    example: {
      body: { business_name: 'Corner shop', locations: [{ name: 'Main street', timezone: 'America/New_York' }] },
    },
    response: Type.Object({
      merchant: about('The new merchant.', SandboxMerchant),
      access_token: about('An access token with all permissions. Shown only here.', Type.String()),
      bank_account: about('The linked bank account, if the request asked for one.', optional(LinkedAccount)),
    }),
    async handle(context, { body }) {
      const created = await openMerchant(context, fromNewSandboxMerchant(body), {
        owner: body.owner,
        tokenLabel: 'sandbox',
      });
      const account = body.bank_account && (await linkTestAccount(context, created.merchant));
      return {
        merchant: toSandboxMerchant(created),
        access_token: created.accessToken,
        ...(account && { bank_account: toLinkedAccount(account) }),
      };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveMerchant',
    method: 'GET',
    path: '/api/sandbox/merchants/{merchant_id}',
    permission: 'OPERATOR',
    summary: 'Shows a merchant, its locations and its clock.',
    response: Type.Object({ merchant: about('The merchant as it is now.', SandboxMerchant) }),
    async handle(context, { params: { merchant_id } }) {
      return { merchant: toSandboxMerchant(await requireMerchantWithLocations(context, merchant_id)) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'addBankAccount',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/bank-accounts',
    permission: 'OPERATOR',
    summary:
      'Links a bank account; omitted fields get test values. The first account receives settlements from the next close on.',
    body: Type.Partial(Type.Object({ ...ACCOUNT_FIELDS, account_number: AccountNumber })),
    example: { body: { bank_name: 'First Harbor Bank', account_number: '000123456789' } },
    response: Type.Object({ bank_account: about('The linked account.', LinkedAccount) }),
    async handle(context, { params: { merchant_id }, body }) {
      const merchant = await requireMerchant(context, merchant_id);
      const account = await linkTestAccount(context, merchant, {
        bankName: body.bank_name,
        name: body.name,
        type: body.type,
        routingNumber: body.routing_number,
        accountNumber: body.account_number,
      });
      return { bank_account: toLinkedAccount(account) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'setApproval',
    method: 'PUT',
    path: '/api/sandbox/merchants/{merchant_id}/approval',
    permission: 'OPERATOR',
    summary: 'Approves a merchant for employee management, or removes the approval.',
    body: Type.Object({ approved: about('Whether employee management is available to the merchant.', Bool) }),
    example: { body: { approved: true } },
    response: Type.Object({ approved: about('Whether employee management is available to the merchant now.', Bool) }),
    async handle(context, { params: { merchant_id }, body: { approved } }) {
      await setApproval(context, merchant_id, approved);
      return { approved };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveClock',
    method: 'GET',
    path: '/api/sandbox/merchants/{merchant_id}/clock',
    permission: 'OPERATOR',
    summary: 'Shows the clock of a merchant.',
    response: ClockAnswer,
    async handle(context, { params: { merchant_id } }) {
      return { clock: toSandboxClock((await requireMerchant(context, merchant_id)).clock) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'changeClock',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/clock',
    permission: 'OPERATOR',
    summary: 'Advances a clock (`{"advance": "P61D"}`), sets it (`{"now": "..."}`), freezes it or unfreezes it.',
    body: ClockChangeBody,
    example: { body: { advance: 'P1D' } },
    response: Type.Object({
      clock: about('The clock after the change.', SandboxClock),
      done: about('What became due in between and was done, in this order.', Type.Array(DueWorkModel)),
    }),
    async handle(context, { params: { merchant_id }, body }) {
      if (body.advance === undefined && body.now === undefined && body.frozen === undefined) {
        throw new Refusal('MISSING_REQUIRED_PARAMETER', { detail: 'One of advance, now and frozen is required.' });
      }
      if (body.advance !== undefined && body.now !== undefined) {
        throw new Refusal('CONFLICTING_PARAMETERS', { field: 'now', detail: 'advance and now cannot be combined.' });
      }
      const to = body.now === undefined ? undefined : parseTime(body.now);
      const move: ClockMove | undefined =
        body.advance !== undefined
          ? { kind: 'advance', by: body.advance }
          : to === undefined
            ? undefined
            : { kind: 'set', to };
      const { clock, done } = await changeClock(context, merchant_id, { move, frozen: body.frozen });
      return { clock: toSandboxClock(clock), done: done.map(toDueWork) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'createToken',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/tokens',
    permission: 'OPERATOR',
    summary: 'Creates an access token with all or the given permissions.',
    body: NewToken,
    example: { body: { permissions: ['PAYMENTS_READ', 'PAYMENTS_WRITE'] } },
    response: TokenResponse,
    async handle(context, { params: { merchant_id }, body }) {
      await requireMerchant(context, merchant_id);
      const access_token = await createPersonalToken(context.database, {
        merchantId: merchant_id,
        permissions: body.permissions ?? PERMISSIONS,
        label: 'sandbox',
        expiresAt: (body.expires_at === undefined ? undefined : parseTime(body.expires_at)) ?? null,
      });
      return { access_token };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'expireToken',
    method: 'POST',
    path: '/api/sandbox/tokens/expire',
    permission: 'OPERATOR',
    summary: 'Expires an access token immediately.',
    body: Type.Object({ access_token: about('The token to expire.', text(1024, { minLength: 1 })) }),
    example: { body: { access_token: SAMPLE_SECRETS.access_token } },
    response: Type.Object({}),
    async handle({ database, invalidateCredentials }, { body: { access_token } }) {
      const hash = hashSecret(access_token);
      const details = { token_id: toTokenId({ hash: hash.toString('hex') }), by: 'expiry' };
      const merchantId = await findMerchantOf(database.sql, hash);
      const entry = { kind: 'TOKEN_REVOKED', merchantId, details } as const;
      const found =
        merchantId !== undefined &&
        (await changeAudited(database, entry, (tx) => updateTokenExpiry(tx, merchantId, hash, realNow())));
      if (!found) throw new Refusal('NOT_FOUND', { field: 'access_token', detail: 'There is no such token.' });
      invalidateCredentials(merchantId);
      return {};
    },
  }),
];
