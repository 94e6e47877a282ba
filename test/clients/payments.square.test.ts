/** The current client with all nine operations on payments and refunds, against a listening server. */
import { randomUUID } from 'node:crypto';
import { SquareClient, SquareError } from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advance, expectBooksInOrder, later, receiptUrlOf } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;
let client: SquareClient;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await frozen();
  client = clientFor(merchant);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = () =>
  server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }], clock: { now: START, frozen: true } });

function clientFor({ token }: Pick<TestMerchant, 'token'>): SquareClient {
  return new SquareClient({ baseUrl: server.baseUrl, token, maxRetries: 0 });
}

const usd = (amount: bigint) => ({ amount, currency: 'USD' as const });

type CreateRequest = Parameters<SquareClient['payments']['create']>[0];
const request = (change: Partial<CreateRequest> = {}): CreateRequest => ({
  idempotencyKey: randomUUID(),
  sourceId: 'cnon:card-nonce-ok',
  amountMoney: usd(1000n),
  ...change,
});

async function charge(own: SquareClient, change: Partial<CreateRequest> = {}): Promise<string> {
  return (await own.payments.create(request(change))).payment?.id ?? '';
}

async function give(own: SquareClient, paymentId: string, amount = 1000n): Promise<string> {
  const idempotencyKey = randomUUID();
  return (await own.refunds.refundPayment({ idempotencyKey, paymentId, amountMoney: usd(amount) })).refund?.id ?? '';
}

async function refusalOf(call: PromiseLike<unknown>): Promise<SquareError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof SquareError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** Reads all pages with the client's own iterator. */
async function idsOf(list: PromiseLike<AsyncIterable<{ id?: string | undefined }>>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { id } of await list) seen.push(id);
  return seen;
}

const ADDRESS = { addressLine1: '1 Main St', locality: 'Oakland', country: 'US', postalCode: '94601' } as const;

const ECHOED = {
  amountMoney: usd(1000n),
  tipMoney: usd(150n),
  appFeeMoney: usd(100n),
  orderId: 'order-17',
  customerId: 'CUSTOMER-1',
  referenceId: 'A-17',
  buyerEmailAddress: 'buyer@example.com',
  billingAddress: ADDRESS,
  shippingAddress: { ...ADDRESS, firstName: 'Ana' },
  note: 'two coffees',
  statementDescriptionIdentifier: 'COFFEE',
};

describe('client.payments', () => {
  it('creates, completes and gets a payment with every applicable field, money as bigint', async () => {
    const [, locationId = ''] = merchant.locationIds;
    const sourceId = 'ccof:customer-card-id-requires-verification';
    const { payment: approved } = await client.payments.create(
      request({
        ...ECHOED,
        ...{ sourceId, locationId, autocomplete: false, verificationToken: 'verf:x' },
        ...{ delayDuration: 'PT36H', delayAction: 'COMPLETE' },
      }),
    );
    const paymentId = approved?.id ?? '';
    const card = {
      id: sourceId,
      cardBrand: 'VISA',
      last4: '5858',
      expMonth: expect.any(BigInt),
      expYear: expect.any(BigInt),
      fingerprint: expect.stringMatching(/^sq-1-/),
      cardType: 'CREDIT',
      prepaidType: 'NOT_PREPAID',
      bin: '453275',
    };
    const shown = {
      ...ECHOED,
      id: expect.stringMatching(/^[0-9A-Za-z]{27}$/),
      createdAt: START,
      updatedAt: START,
      totalMoney: usd(1150n),
      status: 'APPROVED',
      sourceType: 'CARD',
      cardDetails: {
        status: 'AUTHORIZED',
        card,
        entryMethod: 'ON_FILE',
        cvvStatus: 'CVV_NOT_CHECKED',
        avsStatus: 'AVS_NOT_CHECKED',
        authResultCode: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
        statementDescription: 'SQ *SANDBOX BUSINESS COFFEE',
        cardPaymentTimeline: { authorizedAt: START },
      },
      locationId,
      approvedMoney: usd(1150n),
      delayDuration: 'PT36H',
      delayAction: 'COMPLETE',
      delayedUntil: later(START, 36 * 3_600_000),
      applicationDetails: { squareProduct: 'ECOMMERCE_API', applicationId: expect.stringMatching(/^sq0idp-/) },
      capabilities: ['EDIT_AMOUNT_UP', 'EDIT_AMOUNT_DOWN', 'EDIT_TIP_AMOUNT_UP', 'EDIT_TIP_AMOUNT_DOWN'],
      versionToken: expect.any(String),
      receiptNumber: paymentId.slice(-4),
    };
    expect(approved).toEqual(shown);

    const receiptUrl = receiptUrlOf(server, merchant, paymentId);
    const { capabilities: _, ...rest } = shown;
    const cardPaymentTimeline = { authorizedAt: START, capturedAt: START };
    const completed = {
      ...rest,
      status: 'COMPLETED',
      cardDetails: { ...shown.cardDetails, status: 'CAPTURED', cardPaymentTimeline },
      receiptUrl,
    };
    const refused = await refusalOf(client.payments.complete({ paymentId, versionToken: 'another' }));
    expect([refused.statusCode, refused.errors[0]?.code]).toEqual([409, 'VERSION_MISMATCH']);
    const { versionToken = '' } = approved ?? {};
    expect((await client.payments.complete({ paymentId, versionToken })).payment).toEqual(completed);

    const refundId = await give(client, paymentId, 115n);
    expect((await client.payments.get({ paymentId })).payment).toEqual({
      ...completed,
      refundedMoney: usd(115n),
      refundIds: [refundId],
      processingFee: [{ effectiveAt: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amountMoney: usd(63n) }],
    });
  });

  it('handles the largest amounts to the cent', async () => {
    const amountMoney = usd(99_999_999_999n);
    const { payment } = await client.payments.create(request({ amountMoney, tipMoney: amountMoney }));
    expect(payment?.totalMoney).toEqual(usd(199_999_999_998n));
    const page = await client.payments.list({ total: 199_999_999_998n });
    expect(page.data.map(({ id }) => id)).toEqual([payment?.id]);
  });

  it('returns the same payment for a used key, and marks it with a header', async () => {
    const again = request();
    const { payment } = await client.payments.create(again);
    const { data, rawResponse } = await client.payments.create(again).withRawResponse();
    expect(data.payment).toEqual(payment);
    expect(rawResponse.headers.get('idempotency-replayed')).toBe('true');
  });

  it('cancels a payment, by its id and by its key', async () => {
    const paymentId = await charge(client, { autocomplete: false });
    expect((await client.payments.cancel({ paymentId })).payment).toMatchObject({
      id: paymentId,
      status: 'CANCELED',
      cardDetails: { status: 'VOIDED' },
    });
    const idempotencyKey = randomUUID();
    const charged = await charge(client, { idempotencyKey });
    expect(await client.payments.cancelByIdempotencyKey({ idempotencyKey })).toEqual({});
    expect((await client.payments.get({ paymentId: charged })).payment?.status).toBe('CANCELED');
    expect(await charge(client, { idempotencyKey })).not.toBe(charged);
    expect(await client.payments.cancelByIdempotencyKey({ idempotencyKey: 'never-used' })).toEqual({});
  });

  it('lists by every filter', async () => {
    const own = await frozen();
    const its = clientFor(own);
    const [locationId = '', second = ''] = own.locationIds;
    const older = await charge(its);
    await advance(server, own, 'PT1H');
    const change = { locationId: second, sourceId: 'cnon:gift-card-nonce-ok', amountMoney: usd(77n) };
    const newer = await charge(its, change);
    const at = later(START, 3_600_000);
    const found = (options: Parameters<typeof its.payments.list>[0]) => idsOf(its.payments.list(options));
    expect(await found({})).toEqual([newer, older]);
    expect(await found({ sortOrder: 'ASC' })).toEqual([older, newer]);
    expect(await found({ beginTime: START, endTime: later(at, 1), sortOrder: 'DESC' })).toEqual([newer, older]);
    for (const matching of [
      { locationId },
      { total: 1000n },
      { last4: '5858' },
      { cardBrand: 'VISA' },
      { endTime: at },
    ]) {
      expect(await found(matching)).toEqual([older]);
    }
    for (const matching of [
      { locationId: second },
      { total: 77n },
      { last4: '0000' },
      { cardBrand: 'SQUARE_GIFT_CARD' },
      { beginTime: at },
    ]) {
      expect(await found(matching)).toEqual([newer]);
    }
  });

  it('lists all pages with its own iterator', async () => {
    const own = clientFor(await server.createMerchant());
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.push(await charge(own));
    expect(await idsOf(own.payments.list({ limit: 2, sortOrder: 'ASC' }))).toEqual(made);
    const page = await own.payments.list({ limit: 2 });
    const sizes = [page.data.length];
    while (page.hasNextPage()) sizes.push((await page.getNextPage()).data.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect(page.response.cursor).toBeUndefined();
  });
});

describe('client.refunds', () => {
  it('refunds, and gets the refund with every applicable field', async () => {
    const own = await frozen();
    const its = clientFor(own);
    const paymentId = await charge(its, { appFeeMoney: usd(100n) });
    const given = { paymentId, amountMoney: usd(400n), appFeeMoney: usd(40n), reason: 'spilled' };
    const { refund } = await its.refunds.refundPayment({ ...given, idempotencyKey: 'r' });
    expect(refund).toMatchObject({
      ...given,
      id: expect.stringMatching(new RegExp(`^${paymentId}_`)),
      status: 'PENDING',
      locationId: own.locationIds[0],
      orderId: expect.stringMatching(/^[0-9A-Za-z]{28}$/),
      createdAt: START,
      updatedAt: START,
    });
    await advance(server, own, 'PT10S');
    expect((await its.refunds.get({ refundId: refund?.id ?? '' })).refund).toEqual({
      ...refund,
      status: 'COMPLETED',
      updatedAt: later(START, 3000),
      processingFee: [{ effectiveAt: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amountMoney: usd(-24n) }],
    });
  });

  it('lists by every filter, and all pages with its own iterator', async () => {
    const own = await frozen();
    const its = clientFor(own);
    const [locationId = '', second = ''] = own.locationIds;
    const older = await give(its, await charge(its));
    await advance(server, own, 'PT1H');
    const newer = await give(its, await charge(its, { locationId: second }));
    const at = later(START, 3_600_000);
    const found = (options: Parameters<typeof its.refunds.list>[0]) => idsOf(its.refunds.list(options));
    expect(await found({ sourceType: 'CARD' })).toEqual([newer, older]);
    expect(await found({ sortOrder: 'ASC', limit: 1 })).toEqual([older, newer]);
    for (const matching of [{ locationId }, { status: 'COMPLETED' }, { endTime: at }]) {
      expect(await found(matching)).toEqual([older]);
    }
    for (const matching of [{ locationId: second }, { status: 'PENDING' }, { beginTime: at }]) {
      expect(await found(matching)).toEqual([newer]);
    }
  });
});

describe('refusals', () => {
  it('arrive as SquareError with the status, the errors and the parsed body', async () => {
    for (const call of [
      () => client.payments.get({ paymentId: 'none' }),
      () => client.payments.complete({ paymentId: 'none' }),
      () => client.payments.cancel({ paymentId: 'none' }),
      () => client.refunds.get({ refundId: 'none' }),
    ]) {
      const error = await refusalOf(call());
      const errors = [
        { category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', detail: expect.stringContaining('none') },
      ];
      expect(error.statusCode).toBe(404);
      expect(error.errors).toEqual(errors);
      expect(error.body).toEqual({ errors });
    }
  });

  it('name the field and the state', async () => {
    const low = await refusalOf(client.payments.create(request({ amountMoney: usd(0n) })));
    expect(low.statusCode).toBe(400);
    expect(low.errors).toMatchObject([{ code: 'VALUE_TOO_LOW', field: 'amount_money.amount' }]);
    const idempotencyKey = randomUUID();
    const paymentId = await charge(client, { idempotencyKey });
    const reused = await refusalOf(client.payments.create(request({ idempotencyKey, note: 'other' })));
    expect(reused.errors).toMatchObject([{ code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' }]);
    const twice = await refusalOf(client.payments.complete({ paymentId }));
    expect(twice.errors).toMatchObject([{ code: 'BAD_REQUEST', detail: expect.stringContaining('COMPLETED') }]);
    const tooMuch = await refusalOf(
      client.refunds.refundPayment({ idempotencyKey, paymentId, amountMoney: usd(1001n) }),
    );
    expect(tooMuch.errors).toMatchObject([{ category: 'REFUND_ERROR', code: 'REFUND_AMOUNT_INVALID' }]);
    const forged = await refusalOf(client.payments.list({ cursor: 'forged' }));
    expect(forged.errors).toMatchObject([{ code: 'INVALID_CURSOR', field: 'cursor' }]);
    const stranger = await refusalOf(clientFor({ token: 'EAAAnobody' }).refunds.list());
    expect([stranger.statusCode, stranger.errors[0]?.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('of a declined card include the failed payment, of a card to be verified have status 402', async () => {
    const declined = await refusalOf(client.payments.create(request({ sourceId: 'cnon:card-nonce-declined' })));
    expect(declined.statusCode).toBe(400);
    expect(declined.errors).toMatchObject([{ category: 'PAYMENT_METHOD_ERROR', code: 'GENERIC_DECLINE' }]);
    expect(declined.body).toMatchObject({ payment: { status: 'FAILED' } });
    const sourceId = 'ccof:customer-card-id-requires-verification';
    const unverified = await refusalOf(client.payments.create(request({ sourceId, customerId: 'C1' })));
    expect([unverified.statusCode, unverified.errors[0]?.code]).toEqual([402, 'CARD_DECLINED_VERIFICATION_REQUIRED']);
  });

  it('that are temporary are retried by the client itself, and charge once', async () => {
    const own = await server.createMerchant();
    await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, { effect: 'TIME_OUT' });
    const patient = new SquareClient({ baseUrl: server.baseUrl, token: own.token });
    const { payment } = await patient.payments.create(request());
    expect(payment?.status).toBe('COMPLETED');
    expect(await idsOf(patient.payments.list())).toEqual([payment?.id]);
  });
});
