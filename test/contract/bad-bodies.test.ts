import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.js';
import type { Answer } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, type Json, money, openBusiness } from './business.js';
import { expectNamed, expectRefusal, isV1, MISSING, readRefusal } from './refusals.js';
import { type GoodRequest, goodRequest, nameOf, send } from './requests.js';
import { BAD_TIMES, type Field, fieldsOf, LAST_TIMES, type Schema, sample, WRONG, withValue } from './schemas.js';
import { shareAmongEqual } from './shares.js';
import { itHasWrittenNothing } from './stored.js';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

/** Errors in one element are returned next to the results of the others. The elements are bodies of another operation. */
const BATCHES = ['register.sendQueue'];
/** A list of words has no fields either; test/api/webhooks.v1.test.ts covers its errors. */
const LISTS = ['v1.updateWebhooks'];

const withBody = operations.filter((each) => each.body && ![...BATCHES, ...LISTS].includes(nameOf(each)));
const fieldsIn = new Map(withBody.map((each) => [each, fieldsOf(each.body as unknown as Schema)]));

const isNumber = ({ schema: { type } }: Field): boolean => type === 'integer' || type === 'number';
const isTime = ({ schema: { format } }: Field): boolean => format === 'date-time';
/** An amount with its currency. */
const isMoney = ({ schema: { properties } }: Field): boolean =>
  properties !== undefined && 'amount' in properties && 'currency' in properties;

it('the declarations have bodies with fields of every kind', () => {
  const all = [...fieldsIn.values()].flat();
  expect(withBody.length).toBeGreaterThan(25);
  expect(all.length).toBeGreaterThan(150);
  const kinds: readonly ((field: Field) => boolean)[] = [
    isNumber,
    isTime,
    isMoney,
    ({ isElement }) => isElement,
    ({ isRequired }) => isRequired,
    ({ schema }) => schema.enum !== undefined,
    ({ schema }) => schema.pattern !== undefined,
    ({ schema }) => schema.minLength !== undefined,
    ({ schema }) => schema.minItems !== undefined,
    ({ schema }) => schema.minimum !== undefined,
  ];
  for (const isOfKind of kinds) expect(all.filter(isOfKind).length).toBeGreaterThan(0);
  // Fields that no test below can break.
  expect(new Set(all.map(({ schema: { type } }) => type))).toEqual(
    new Set(['string', 'integer', 'boolean', 'object', 'array']),
  );
});

/** Texts for which the published API sets no maximum: the size of a body limits them (test/api/refund-keys.v1.test.ts). */
const OF_ANY_LENGTH = ['v1.createRefund reason', 'v1.createRefund request_idempotence_key'];

/** The minimum of each amount of money that a caller may send. */
const LEAST: Readonly<Record<string, number>> = {
  'v2.createPayment amount_money': 1,
  'v2.createPayment tip_money': 0,
  'v2.createPayment app_fee_money': 0,
  'v2.refundPayment amount_money': 1,
  'v2.refundPayment app_fee_money': 0,
  'dashboard.updateRegisterSettings offline_cards.limit_money': 1,
  'dashboard.quoteRefund amount_money': 1,
  'dashboard.refundSale amount_money': 1,
  'dashboard.adjustBalance amount_money': -10_000_000,
  'dashboard.createItem variations.price_money': 0,
  'dashboard.updateItem variations.price_money': 0,
  'dashboard.createModifierList options.price_money': 0,
  'dashboard.updateModifierList options.price_money': 0,
  'dashboard.createDiscount amount_money': 0,
  'dashboard.updateDiscount amount_money': 0,
  'dashboard.updateStore shipping_money': 0,
  'register.openShift opened_cash_money': 0,
  'register.paidIn amount_money': 1,
  'register.paidOut amount_money': 1,
  'register.closeShift closed_cash_money': 0,
  'register.editItemAtRegister variations.price_money': 0,
  'register.ringUpSale itemizations.single_quantity_money': 0,
  'register.ringUpSale itemizations.modifiers.price_money': 0,
  'register.ringUpSale itemizations.discounts.amount_money': 0,
  'register.ringUpSale discounts.amount_money': 0,
  'register.ringUpSale surcharges.amount_money': 0,
  'register.ringUpSale total_money': 0,
  'register.ringUpSale tenders.amount_money': 0,
  'register.ringUpSale tenders.tip_money': 0,
  'register.ringUpSale tenders.tendered_money': 0,
  'register.ringUpSale returns.amount_money': 1,
  'register.ringUpSale returns.refunded_money': 1,
  'register.editSale itemizations.single_quantity_money': 0,
  'register.editSale itemizations.modifiers.price_money': 0,
  'register.editSale itemizations.discounts.amount_money': 0,
  'register.editSale discounts.amount_money': 0,
  'register.editSale surcharges.amount_money': 0,
  'register.editSale total_money': 0,
  'register.takeTender amount_money': 0,
  'register.takeTender tip_money': 0,
  'register.takeTender tendered_money': 0,
  'register.issueRefund refunded_money': 1,
  'sandbox.placeHold amount_money': 1,
  'sandbox.adjustBalance amount_money': -10_000_000,
  'sandbox.openStore shipping_money': 0,
  'sandbox.openStore items.price_money': 0,
};
const NO_WORDS = ['sideways', '-', '12x4', ' 1234', '1234\n', '１２３４', 'constructor', '__proto__'];
const NOT_TEXT = ['\0', 'a\0b', '\ud800', 'a\udfffb', '\udc00\ud800'];
const OTHER_CURRENCIES = ['EUR', 'usd', 'US', 'XXX'].map((currency) => ({ amount: 1, currency }));
const LARGEST = 99_999_999_999;
/** As they are written in JSON. */
const HUGE_NUMBERS = ['1e400', '-1e400', '1e21', '9007199254740993', `1${'0'.repeat(400)}`];
/** The maximum of the amounts that have one. */
const MOST: Readonly<Record<string, number>> = {
  'dashboard.adjustBalance amount_money': -1,
  'sandbox.adjustBalance amount_money': 10_000_000,
};

it('every amount of money has a minimum', () => {
  const amounts = withBody.flatMap((each) =>
    (fieldsIn.get(each) ?? []).filter(isMoney).map(({ name }) => `${nameOf(each)} ${name}`),
  );
  expect(amounts).toEqual(Object.keys(LEAST));
});

const shareOfValues = shareAmongEqual();

function choose<Value>(values: readonly Value[], path: string, { schema, isElement }: Field): readonly Value[] {
  return shareOfValues(values, isV1(path), schema, isElement);
}

for (const operation of withBody) {
  const { path } = operation;
  const fields = fieldsIn.get(operation) ?? [];
  const texts = fields.filter(({ schema }) => schema.type === 'string');
  const moneys = fields.filter(isMoney);

  const good = (): Promise<GoodRequest> => goodRequest(operation, business, server);
  let request: GoodRequest;

  /** Sends a good request with bad values in each field: all are refused. */
  const refuses = (
    title: string,
    concerned: readonly Field[],
    valuesFor: (field: Field) => readonly unknown[],
    check: (answer: Answer, field: Field) => void = (answer, { name }) => void expectNamed(answer, path, name),
  ): void => {
    if (concerned.length === 0) return; // no value could be refused
    it(`refuses ${title}`, async () => {
      for (const field of concerned) {
        const values = valuesFor(field);
        expect(values.length, field.name).toBeGreaterThan(0);
        for (const value of values) {
          check(await send(server, operation, request, { body: withValue(request.body, field, value) }), field);
        }
      }
    });
  };

  describe(`${nameOf(operation)}, given a bad body`, () => {
    beforeAll(async () => {
      request = await good();
    });

    refuses('each field of a wrong type, and names it', fields, (field) => {
      // In v1 empty text counts as absent (decision 12). A null element does not: a list has no gaps.
      const wrong = (WRONG[field.schema.type] ?? []).filter((value) => !(isV1(path) && value === ''));
      return choose(field.isElement ? [...wrong, null] : wrong, path, field);
    });

    it('refuses numbers that are out of range in each field, and names the field', async () => {
      expect(fields.length).toBeGreaterThan(0);
      for (const field of fields) {
        for (const number of choose(HUGE_NUMBERS, path, field)) {
          const body = JSON.stringify(withValue(request.body, field, '<number>')).replace('"<number>"', number);
          expectNamed(await send(server, operation, request, { body }), path, field.name);
        }
      }
    });

    refuses(
      'whole numbers just out of range, and names them',
      fields.filter((field) => isNumber(field) && !field.name.endsWith('_money.amount')),
      (field) => {
        const { minimum, maximum } = field.schema;
        expect(minimum !== undefined && maximum !== undefined, field.name).toBe(true);
        return choose([(minimum ?? 0) - 1, (maximum ?? 0) + 1], path, field);
      },
    );

    refuses(
      'money below its minimum and above its maximum, and names the amount',
      moneys,
      ({ name }) =>
        [(LEAST[`${nameOf(operation)} ${name}`] ?? 0) - 1, (MOST[`${nameOf(operation)} ${name}`] ?? LARGEST) + 1].map(
          money,
        ),
      (answer, { name }) => void expectNamed(answer, path, `${name}.amount`),
    );

    refuses(
      "money of another currency than the merchant's, and names it",
      moneys,
      (field) => choose(OTHER_CURRENCIES, path, field),
      (answer, { name }) => void expectNamed(answer, path, `${name}.currency`),
    );

    refuses(
      'each text that is too long, and limits all of them',
      texts.filter(({ name }) => !OF_ANY_LENGTH.includes(`${nameOf(operation)} ${name}`)),
      (field) => {
        const { maxLength, enum: words, pattern } = field.schema;
        expect(maxLength !== undefined || words !== undefined || pattern !== undefined, field.name).toBe(true);
        return choose([(maxLength ?? 255) + 1, 100_000], path, field).map((length) => 'x'.repeat(length));
      },
    );

    refuses(
      'text that is too short, and names it',
      texts.filter(({ schema }) => schema.minLength !== undefined),
      ({ schema: { minLength = 0 } }) => [...new Set(['', 'x'.repeat(minLength - 1)])],
    );

    refuses(
      'words that are not allowed, and text of another format, and names them',
      texts.filter(({ schema }) => schema.enum ?? schema.pattern),
      (field) => {
        const { enum: words = [] } = field.schema;
        const spelled = words.map((word) => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase()));
        return choose([...spelled, ...words.map((word) => `${word} `), ...NO_WORDS], path, field);
      },
    );

    refuses(
      'each list that is too long or too short, and limits all of them',
      fields.filter(({ schema }) => schema.type === 'array'),
      ({ schema: { items, minItems = 0, maxItems }, name }) => {
        expect(maxItems, name).toEqual(expect.any(Number));
        const tooMany = Array.from({ length: (maxItems ?? 0) + 1 }, () => sample(items as Schema));
        return minItems > 0 ? [tooMany, []] : [tooMany];
      },
    );

    refuses('NUL and half a surrogate pair in each text, and names it', texts, (field) =>
      choose(NOT_TEXT, path, field),
    );

    refuses('each invalid time, and names it', texts.filter(isTime), (field) => choose(BAD_TIMES, path, field));

    refuses(
      'a body without each required field, and names it',
      fields.filter(({ isRequired }) => isRequired),
      ({ schema: { type } }) => [undefined, null, ...(isV1(path) && type === 'string' ? [''] : [])],
      (answer, { name }) => expect(expectRefusal(answer, path, MISSING).field).toBe(name),
    );

    itHasWrittenNothing(() => server);
  });

  describe(`${nameOf(operation)}, given a body at the limits`, () => {
    if (moneys.length > 0) {
      it('accepts every amount that is exactly the minimum or the maximum', async () => {
        for (const field of moneys) {
          const name = `${nameOf(operation)} ${field.name}`;
          for (const amount of [LEAST[name] ?? 0, MOST[name] ?? LARGEST]) {
            const request = await good();
            const body = withValue(request.body, field, money(amount));
            const { status, text } = await send(server, operation, request, { body });
            expect(status).toBeLessThan(500);
            expect(text).not.toMatch(/VALUE_TOO_(?:LOW|HIGH)/);
          }
        }
      });
    }

    const plain = texts.filter(({ schema }) => !schema.enum && !schema.pattern && !schema.format);
    if (plain.length > 0) {
      it('accepts every text of exactly the maximum length', async () => {
        const sendLongest = async (some: readonly Field[]): Promise<Answer> => {
          const request = await good();
          let { body } = request;
          for (const field of some) body = withValue(body, field, 'x'.repeat(field.schema.maxLength ?? 0));
          return send(server, operation, request, { body });
        };
        // If the operation accepts all at once, it accepts each.
        if (plain.length > 1 && (await sendLongest(plain)).status === 200) return;
        for (const field of plain) {
          const { status, text } = await sendLongest([field]);
          expect(status).toBeLessThan(500);
          expect(text).not.toMatch(/VALUE_TOO_LONG|longer than|TOO_SHORT|at least \d+ characters/);
        }
      });
    }

    if (texts.some(isTime)) {
      it('handles the earliest and the latest time', async () => {
        for (const field of texts.filter(isTime)) {
          for (const time of LAST_TIMES) {
            const request = await good();
            const answer = await send(server, operation, request, { body: withValue(request.body, field, time) });
            if (answer.status !== 200) expect([400, 422]).toContain(readRefusal(answer, path).status);
          }
        }
      });
    }

    it('ignores unknown fields, names such as __proto__ among them, and nulls (decision 12)', async () => {
      const request = await good();
      const nulls: Json = {};
      for (const { name, steps, isRequired } of fields) {
        if (steps.length === 1 && !isRequired && !(name in (request.body ?? {}))) nulls[name] = null;
      }
      const strange =
        '"__proto__":{"polluted":true,"approved":true},"constructor":{"prototype":{"polluted":true}},"toString":1,' +
        '"hasOwnProperty":null,"":{"":[]},"\\ud800":"\\u0000","id":"mine","unknown":[1,{"a":null}]';
      const known = JSON.stringify({ ...request.body, ...nulls }).slice(1);
      const answer = await send(server, operation, request, { body: `{${strange}${known === '}' ? '' : ','}${known}` });
      expect(answer.status, answer.text).toBe(200);
      expect(({} as Json)['polluted']).toBeUndefined();
      expect(answer.text).not.toContain('polluted');
    });
  });
}
