/** Replaces what differs from run to run in a response: ids, secrets, and real times. */
import { createHash } from 'node:crypto';
import { SAMPLE_VALUES } from '../../src/api/sample-ids.js';

/** A UUID, an id of merchants and locations, or an id in base 62 with its time in front. */
const ID =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|wbhk_[0-9a-f]{32}|[ML][0-9A-Z]{12}|0[0-9A-Za-z]{19,80}(?:_[0-9A-Za-z]{20,60})?)$/;

/** An id in an address. */
const ID_WITHIN = /(?<=\/)0[0-9A-Za-z]{19,80}\b/g;

/** Values that are random, but are no ids of records. */
const RANDOM: Readonly<Record<string, string>> = {
  access_token: 'EAAA-A-NEW-ACCESS-TOKEN',
  refresh_token: 'EQAA-A-NEW-REFRESH-TOKEN',
  signature_key: 'k3fQ1tV9sXw7Lr5Zb2Nc8A',
  auth_result_code: 'q7HdKx',
  receipt_number: 'R7dQ',
  device_token: 'dev_A-NEW-DEVICE-TOKEN',
  session: 'A-NEW-SESSION',
  code: '402913',
  version: SAMPLE_VALUES.version,
};

/** The clock of the business stands still, so later times are real ones: of tokens and of webhooks. */
const REAL_FROM = '2026-04';
const REAL_TIME = '2026-04-01T18:00:00Z';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

export class Repeatable {
  /** By the real id. */
  readonly #names = new Map<string, string>();

  /** `known` has the samples by the real values that stand in for them. */
  replace(value: unknown, known: ReadonlyMap<string, string>, field = ''): unknown {
    if (Array.isArray(value)) return value.map((each) => this.replace(each, known, field));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.replace(each, known, name)]));
    }
    if (typeof value !== 'string') return value;
    if (RANDOM[field] !== undefined) return RANDOM[field];
    const sample = known.get(value);
    if (sample !== undefined) return sample;
    if (TIME.test(value)) return value > REAL_FROM ? REAL_TIME : value;
    if (ID.test(value)) return this.#rename(value);
    const told = [...known].reduce((text, [real, name]) => text.replaceAll(real, name), value);
    const samples = new Set(known.values());
    return told.replace(ID_WITHIN, (id) => (samples.has(id) ? id : this.#rename(id)));
  }

  /** Another id of the same form, by the order in which the ids were seen. */
  #rename(id: string): string {
    const name = this.#names.get(id) ?? this.#invent(id);
    this.#names.set(id, name);
    return name;
  }

  #invent(id: string): string {
    const digits = createHash('sha512').update(`${this.#names.size}`).digest('hex');
    let used = 0;
    return id.replace(/[0-9A-Za-z]/g, (letter, at: number) => {
      if (at === 0) return id.includes('-') ? '0' : letter; // the first letter of an id says what it is, but not that of a UUID
      return digits[used++ % digits.length] ?? letter;
    });
  }
}
