import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { responseSchema } from '../../src/api/routes.js';
import { operations } from '../../src/operations.js';
import { TEST_SOURCES } from '../../src/processor/sources.js';
import { type ClientCall, type ClientType, isModel, propertiesOf, readCalls, wordsOf } from './client-models.js';
import { contractOperations } from './contract.js';
import { nameOf } from './requests.js';
import type { Schema } from './schemas.js';

const calls = readCalls();
/** This client has other models of them. */
const OTHER_MODELS = ['v2.listBankAccounts', 'v2.retrieveBankAccount', 'v2.retrieveBankAccountByV1Id'];

const isKnown = ({ method, path }: Operation): boolean =>
  calls.some((each) => each.method === method && each.path === path);

/** All of the contract, and what else this client has. It is older than some operations, and has none on webhooks. */
const offered = operations.filter(
  (each) => contractOperations.includes(each) || (isKnown(each) && !OTHER_MODELS.includes(nameOf(each))),
);
const built = offered;

function callOf({ method, path }: Operation): ClientCall {
  const found = calls.find((each) => each.method === method && each.path === path);
  if (!found) throw new Error(`the client has no ${method} ${path}`);
  return found;
}

const OURS: Readonly<Record<string, readonly string[]>> = {
  String: ['string'],
  Number: ['integer', 'number'],
  Boolean: ['boolean'],
};

/** The result of comparing a type of the client with our schema, each entry as `Model.property`. */
interface Findings {
  readonly seen: Set<string>;
  readonly otherwise: Set<string>;
  /** Our words come from the property's schema; undefined if it allows any text. */
  readonly words: Map<string, { readonly theirs: readonly string[]; readonly ours: readonly string[] | undefined }>;
}

function newFindings(): Findings {
  return { seen: new Set(), otherwise: new Set(), words: new Map() };
}

/** Looks up each property of the client's type in our schema, recursively. */
function walk(type: ClientType, schema: Schema | undefined, at: string, findings: Findings): void {
  const inside = type.isList ? schema?.items : schema;
  if (type.isList && schema?.type !== 'array') findings.otherwise.add(at);
  if (!isModel(type)) {
    if (!(OURS[type.name] ?? ['object']).includes(inside?.type ?? '')) findings.otherwise.add(at);
    return;
  }
  for (const [name, child] of propertiesOf(type.name)) {
    const place = `${type.name}.${name}`;
    const ours = inside?.properties?.[name];
    findings.seen.add(place);
    if (!ours) continue; // published-fields.test.ts says why
    const words = wordsOf(type.name, name);
    if (words) findings.words.set(place, { theirs: words, ours: (child.isList ? ours.items : ours)?.enum });
    walk(child, ours, place, findings);
  }
}

const answers = newFindings();
for (const each of built) {
  walk(callOf(each).answer, responseSchema(each) as unknown as Schema, nameOf(each), answers);
}

/** Properties of another type than the client declares, and why. The client converts them. */
const CONVERTED: Readonly<Record<string, string>> = {
  'V1PaymentItemization.quantity': 'text in live data (decision 0102)',
};

describe("the published client's calls", () => {
  it('exist for all operations that we offer', () => {
    expect(calls.length).toBeGreaterThan(100);
    expect(offered.map((each) => callOf(each).path)).toEqual(offered.map(({ path }) => path));
  });
});

describe("the published client's models in our answers", () => {
  it('are all compared', () => {
    const models = new Set([...answers.seen].map((place) => place.split('.')[0]));
    for (const model of [
      ...['V1Employee', 'V1EmployeeRole', 'V1Merchant', 'Employee', 'Merchant', 'Location', 'Address'],
      ...['V1Timecard', 'V1TimecardEvent', 'V1CashDrawerShift', 'V1CashDrawerEvent', 'V1Money', 'Device'],
      ...['V1Payment', 'V1Tender', 'V1PaymentItemization', 'V1PaymentItemDetail', 'V1PaymentTax', 'V1PaymentDiscount'],
      ...['V1PaymentModifier', 'V1PaymentSurcharge', 'V1Refund'],
      ...['V1Settlement', 'V1SettlementEntry', 'V1BankAccount', 'V1Order', 'V1OrderHistoryEntry'],
      ...['CashDrawerShift', 'CashDrawerShiftSummary', 'CashDrawerShiftEvent', 'CashDrawerDevice', 'Money'],
      ...['Payment', 'CardPaymentDetails', 'Card', 'DeviceDetails', 'ProcessingFee', 'PaymentRefund', 'Error'],
      ...['ObtainTokenResponse', 'RevokeTokenResponse', 'RenewTokenResponse'],
      ...['V1Refund', 'V1PaymentTax', 'V1PaymentSurcharge'],
    ]) {
      expect(models).toContain(model);
    }
    expect(answers.seen.size).toBeGreaterThan(200);
  });

  it('have the types that the client reads', () => {
    expect([...answers.otherwise].sort()).toEqual(Object.keys(CONVERTED).sort());
  });
});

/** Properties with a list of words in the client and free text in our schema, and why. */
const OPEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['Address.country', 'Location.country', 'Merchant.country', 'Location.currency', 'Merchant.currency'],
      ...['Money.currency', 'V1Money.currency_code'],
    ].map((place) => [place, 'the ISO lists grow; responses contain what the merchant was created with']),
  ),
  'BusinessHoursPeriod.day_of_week': 'stored as the location was created with',
  'Location.capabilities': 'as above',
  'V1Merchant.business_type': 'as above',
  'Card.card_brand': 'set by the processor; the simulator is tested below',
  'Card.card_type': 'as above',
  'Card.prepaid_type': 'as above',
  'Error.category': 'set by the catalogue of refusals',
  'Error.code': 'as above',
};

describe("the published client's words", () => {
  const listed = [...answers.words].filter(([, { ours }]) => ours !== undefined);

  it.each(listed)('%s are the same as ours', (_, { theirs, ours = [] }) => {
    expect(theirs.length).toBeGreaterThan(1);
    expect([...ours].sort()).toEqual([...theirs].sort());
  });

  it('are listed in our schemas, except for free text with a reason', () => {
    const open = [...answers.words].filter(([, { ours }]) => ours === undefined).map(([place]) => place);
    expect(open.sort()).toEqual(Object.keys(OPEN).sort());
    expect(listed.length).toBeGreaterThan(12);
  });

  it('are the only ones that the simulator returns for a card', () => {
    expect(TEST_SOURCES.size).toBeGreaterThan(10);
    for (const { card } of TEST_SOURCES.values()) {
      expect(wordsOf('Card', 'card_brand')).toContain(card.brand);
      expect(wordsOf('Card', 'card_type')).toContain(card.type);
      expect(wordsOf('Card', 'prepaid_type')).toContain(card.prepaidType);
    }
  });
});

describe("the published client's queries", () => {
  const asking = built.filter((each) => callOf(each).query.length > 0);

  it('are sent to every list that has filters or pages', () => {
    expect(asking.length).toBeGreaterThan(10);
    for (const each of built.filter(({ page }) => page)) expect(asking.map(nameOf)).toContain(nameOf(each));
  });
});

describe("the published client's bodies", () => {
  /** The operations whose bodies have fields. */
  const sending = built.filter((each) => propertiesOf(callOf(each).body ?? '').size > 0);

  it.each(sending.map((each) => [nameOf(each), each] as const))('%s have the types that we accept', (name, each) => {
    const findings = newFindings();
    const type = { name: callOf(each).body ?? '', isList: false };
    walk(type, each.body as unknown as Schema, name, findings);
    expect([...findings.otherwise]).toEqual([]);
    expect(findings.seen.size).toBeGreaterThan(0);
  });
});
