import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf } from '../../src/api/body-limits.js';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, type Json, money, openBusiness } from './business.js';
import { expectNamed, expectRefusal, isV1, MISSING, readRefusal } from './refusals.js';
import { type GoodRequest, goodRequest, nameOf, send } from './requests.js';
import { BAD_TIMES, type Field, fieldsOf, LAST_TIMES, type Schema, sample, WRONG, withValue } from './schemas.js';
import { inNeighbourhoods, shareAmongEqual } from './shares.js';
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
/** A list of words has no fields either; test/api/events/v1.test.ts covers its errors. */
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

/** Texts without a maximum: the size of a body limits them (test/api/refunds/list.v1.test.ts, decision 0028). */
const OF_ANY_LENGTH = [
  'v1.createRefund reason',
  'v1.createRefund request_idempotence_key',
  'v2.cancelPaymentByIdempotencyKey idempotency_key',
];

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
  'register.ringUpSale approval.amount_money': 0,
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
  'register.editSale approval.amount_money': 0,
  'register.giveApproval amount_money': 1,
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
/** A number as it is written in JSON, which JavaScript cannot represent. */
class HugeNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}
const HUGE_NUMBERS = ['1e400', '-1e400', '1e21', '9007199254740993', `1${'0'.repeat(400)}`].map(
  (digits) => new HugeNumber(digits),
);
/** The maximum of the amounts that have one. */
const MOST: Readonly<Record<string, number>> = {
  'dashboard.adjustBalance amount_money': -1,
  'sandbox.adjustBalance amount_money': 10_000_000,
};

it('every amount of money has a minimum', () => {
  const amounts = withBody.flatMap((each) =>
    (fieldsIn.get(each) ?? []).filter(isMoney).map(({ name }) => `${nameOf(each)} ${name}`),
  );
  expect(amounts.sort()).toEqual(Object.keys(LEAST).sort());
});

/** What the schema of a field decides alone. */
const bySchema = shareAmongEqual(isLong ? 1 : 4);
/** What the type of a field decides alone. */
const byType: typeof bySchema = (values, ...[isOfV1, schema, isElement]) =>
  bySchema(values, isOfV1, (schema as Schema).type, isElement);
/** What the schema around a field decides. */
const inTurn = shareAmongEqual();
const all: typeof inTurn = (values) => values;

/** A good body with a value in a field. */
function bodyWith({ body }: GoodRequest, field: Field, value: unknown): unknown {
  if (!(value instanceof HugeNumber)) return withValue(body, field, value);
  return JSON.stringify(withValue(body, field, '<number>')).replace('"<number>"', value.digits);
}

interface Refused {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly values: (field: Field) => readonly unknown[];
  /** Which of the values are tried in each field. */
  readonly share?: typeof inTurn;
  readonly check?: (answer: ApiResponse, field: Field) => void;
}

/** The values that an operation refuses in its fields. */
function refusedBy(operation: Operation): readonly Refused[] {
  const { path } = operation;
  const fields = fieldsIn.get(operation) ?? [];
  const texts = fields.filter(({ schema }) => schema.type === 'string');
  const moneys = fields.filter(isMoney);
  return [
    {
      title: 'each field of a wrong type, and names it',
      fields,
      values: ({ schema: { type }, isElement }) => {
        // In v1 empty text counts as absent (decision 0012). A null element does not: a list has no gaps.
        const wrong = (WRONG[type] ?? []).filter((value) => !(isV1(path) && value === ''));
        return isElement ? [...wrong, null] : wrong;
      },
      share: byType,
    },
    {
      title: 'numbers that are out of range in each field, and names the field',
      fields,
      values: () => HUGE_NUMBERS,
      share: byType,
    },
    {
      title: 'whole numbers just out of range, and names them',
      fields: fields.filter((field) => isNumber(field) && !field.name.endsWith('_money.amount')),
      values: ({ schema: { minimum, maximum }, name }) => {
        expect(minimum !== undefined && maximum !== undefined, name).toBe(true);
        return [(minimum ?? 0) - 1, (maximum ?? 0) + 1];
      },
    },
    {
      title: 'money below its minimum and above its maximum, and names the amount',
      fields: moneys,
      values: ({ name }) =>
        [(LEAST[`${nameOf(operation)} ${name}`] ?? 0) - 1, (MOST[`${nameOf(operation)} ${name}`] ?? LARGEST) + 1].map(
          money,
        ),
      share: all,
      check: (answer, { name }) => void expectNamed(answer, path, `${name}.amount`),
    },
    {
      title: "money of another currency than the merchant's, and names it",
      fields: moneys,
      values: () => OTHER_CURRENCIES,
      share: inTurn,
      check: (answer, { name }) => void expectNamed(answer, path, `${name}.currency`),
    },
    {
      title: 'each text that is too long, and limits all of them',
      fields: texts.filter(({ name }) => !OF_ANY_LENGTH.includes(`${nameOf(operation)} ${name}`)),
      values: ({ schema: { maxLength, enum: words, pattern }, name }) => {
        expect(maxLength !== undefined || words !== undefined || pattern !== undefined, name).toBe(true);
        // The longest with room for the rest of the body.
        const longest = Math.min(100_000, bodyLimitOf(operation) / 2);
        return [(maxLength ?? 255) + 1, longest].map((length) => 'x'.repeat(length));
      },
    },
    {
      title: 'text that is too short, and names it',
      fields: texts.filter(({ schema }) => schema.minLength !== undefined),
      values: ({ schema: { minLength = 0 } }) => [...new Set(['', 'x'.repeat(minLength - 1)])],
    },
    {
      title: 'words that are not allowed, and text of another format, and names them',
      fields: texts.filter(({ schema }) => schema.enum ?? schema.pattern),
      values: ({ schema: { enum: words = [] } }) => {
        const spelled = words.map((word) => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase()));
        return [...spelled, ...words.map((word) => `${word} `), ...NO_WORDS];
      },
    },
    {
      title: 'each list that is too long or too short, and limits all of them',
      fields: fields.filter(({ schema }) => schema.type === 'array'),
      values: ({ schema: { items, minItems = 0, maxItems }, name }) => {
        expect(maxItems, name).toEqual(expect.any(Number));
        const tooMany = Array.from({ length: (maxItems ?? 0) + 1 }, () => sample(items as Schema));
        return minItems > 0 ? [tooMany, []] : [tooMany];
      },
      share: all,
    },
    { title: 'NUL and half a surrogate pair in each text, and names it', fields: texts, values: () => NOT_TEXT },
    { title: 'each invalid time, and names it', fields: texts.filter(isTime), values: () => BAD_TIMES },
    {
      title: 'a body without each required field, and names it',
      fields: fields.filter(({ isRequired }) => isRequired),
      values: ({ schema: { type } }) => [undefined, null, ...(isV1(path) && type === 'string' ? [''] : [])],
      share: inTurn,
      check: (answer, { name }) => expect(expectRefusal(answer, path, MISSING).field).toBe(name),
    },
  ];
}

/** The values that are tried: the share of each field, and at least one for each operation. */
function triedIn({ fields, values, share = bySchema }: Refused, path: string): readonly (readonly [Field, unknown])[] {
  const chosen = fields.map((field) => {
    const possible = values(field);
    expect(possible.length, field.name).toBeGreaterThan(0);
    return { field, possible, shared: share(possible, isV1(path), field.schema, field.isElement) };
  });
  const tried = chosen.flatMap(({ field, shared }) => shared.map((value) => [field, value] as const));
  const [first] = chosen;
  return tried.length === 0 && first ? [[first.field, first.possible[0]]] : tried;
}

for (const neighbours of inNeighbourhoods(withBody)) {
  describe(`from ${neighbours.map(nameOf).at(0)} to ${neighbours.map(nameOf).at(-1)}`, () => {
    const requests = new Map<Operation, GoodRequest>();
    beforeAll(async () => {
      for (const each of neighbours) requests.set(each, await goodRequest(each, business, server));
    });

    describe.each(neighbours.map((each) => [nameOf(each), each] as const))('%s', (_, operation) => {
      for (const refused of refusedBy(operation).filter(({ fields }) => fields.length > 0)) {
        it(`refuses ${refused.title}`, async () => {
          const { path } = operation;
          const { check = (answer: ApiResponse, { name }: Field) => void expectNamed(answer, path, name) } = refused;
          const request = requests.get(operation) as GoodRequest;
          for (const [field, value] of triedIn(refused, path)) {
            check(await send(server, operation, request, { body: bodyWith(request, field, value) }), field);
          }
        });
      }
    });

    itHasWrittenNothing(() => server);
  });
}

for (const operation of withBody) {
  const { path } = operation;
  const fields = fieldsIn.get(operation) ?? [];
  const texts = fields.filter(({ schema }) => schema.type === 'string');
  const moneys = fields.filter(isMoney);
  const good = (): Promise<GoodRequest> => goodRequest(operation, business, server);

  describe(`${nameOf(operation)}, given a body at the limits`, () => {
    if (moneys.length > 0) {
      it('accepts amounts that are exactly the minimum or the maximum', async () => {
        for (const field of moneys) {
          const name = `${nameOf(operation)} ${field.name}`;
          // The schema decides the minimum alone. What is done with the maximum is a matter of the handler.
          const least = bySchema([LEAST[name] ?? 0], isV1(path), field.schema, field.isElement);
          for (const amount of [...least, MOST[name] ?? LARGEST]) {
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
        const sendLongest = async (some: readonly Field[]): Promise<ApiResponse> => {
          const request = await good();
          let { body } = request;
          for (const field of some) body = withValue(body, field, 'x'.repeat(field.schema.maxLength ?? 0));
          return send(server, operation, request, { body });
        };
        const expectLongEnough = ({ status, text }: ApiResponse): void => {
          expect(status).toBeLessThan(500);
          expect(text).not.toMatch(/VALUE_TOO_LONG|longer than|TOO_SHORT|at least \d+ characters/);
        };
        const together = await sendLongest(plain);
        expectLongEnough(together);
        // If the operation accepts all at once, it accepts each.
        if (plain.length === 1 || together.status === 200) return;
        for (const field of plain.filter(
          ({ schema, isElement }) => bySchema(['longest'], isV1(path), schema, isElement)[0],
        )) {
          expectLongEnough(await sendLongest([field]));
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

    it('ignores unknown fields, names such as __proto__ among them, and nulls (decision 0012)', async () => {
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
