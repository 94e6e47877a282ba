/** Replaces what differs from run to run in a response: ids, secrets, and real times. */
import { createHash } from 'node:crypto';
import { SAMPLE_VALUES } from '../../src/api/sample-ids.js';

/** In order: a UUID; ids of subscriptions, of applications, of merchants and locations, of tokens and sessions; time-prefixed base 62. */
const ID = new RegExp(
  `^(?:${[
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    'wbhk_[\\w-]{32}',
    'sandbox-sq0idb-[\\w-]{22}',
    '[ML][0-9A-Z]{12}',
    '[0-9a-f]{16}(?:[0-9a-f]{8})?',
    '0[0-9A-Za-z]{19,80}(?:_[0-9A-Za-z]{20,60})?',
  ].join('|')})$`,
);

/** The prefix that shows the kind of an id. Ids of tokens and sessions have none. */
const PREFIX = /^(?:wbhk_|sandbox-sq0idb-|(?![0-9a-f]{16}(?:[0-9a-f]{8})?$)\w)/;
/** The first digit of a UUID, which is 0 if the UUID begins with a time, and otherwise random. */
const FIRST_OF_UUID = /^[0-9a-f](?=[0-9a-f]{7}-)/;

/** An id in an address. */
const ID_WITHIN = /(?<=\/)0[0-9A-Za-z]{19,80}\b/g;

/** Values that are random, but are no ids of records. */
const RANDOM: Readonly<Record<string, string>> = {
  access_token: 'EAAA-A-NEW-ACCESS-TOKEN',
  refresh_token: 'EQAA-A-NEW-REFRESH-TOKEN',
  signature_key: 'k3fQ1tV9sXw7Lr5Zb2Nc8A',
  auth_result_code: 'q7HdKx',
  receipt_number: 'R7dQ',
  // It depends on the ids of the run.
  version_token: 'yNTDYLQjpfphaM2ddiHf4j-BTxs',
  device_token: 'dev_A-NEW-DEVICE-TOKEN',
  session: 'A-NEW-SESSION',
  version: SAMPLE_VALUES.version,
  application_secret: 'sandbox-sq0csb-A-NEW-SECRET',
  publishable_key: 'pub_A-NEW-PUBLISHABLE-KEY',
  sha1: 'q0Zr5Vt8Yb1Nc4Xe7Ha2Kd9Lf6M=',
  sha256: 'w3Es6Rd9Tf2Yg5Uh8Ij1Ok4Pl7Az0Sx3Dc6Vf9Bg2Nh=',
};

/** A pairing code. Other fields named `code` are words. */
const PAIRING_CODE = /^\d{6}$/;

/** What the log of requests shows of a secret. */
const HIDDEN_SECRET = /\*{4}[\w-]{4}/g;
const SAMPLE_HIDDEN_SECRET = '****Qd7h';

/** Numbers that are measured. */
const MEASURED: Readonly<Record<string, number>> = { duration_ms: 12 };

/** The clock of the business is frozen, so later times are real ones: of tokens and of webhooks. */
const REAL_FROM = '2026-04';
const REAL_TIME = '2026-04-01T18:00:00Z';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

export class Repeatable {
  /** The invented ids, by the real ones. */
  readonly #names = new Map<string, string>();

  /** `known` has the samples by the real values that stand in for them. */
  replace(value: unknown, known: ReadonlyMap<string, string>, field = ''): unknown {
    if (Array.isArray(value)) return value.map((each) => this.replace(each, known, field));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.replace(each, known, name)]));
    }
    if (typeof value !== 'string') return MEASURED[field] ?? value;
    if (RANDOM[field] !== undefined) return RANDOM[field];
    if (field === 'code' && PAIRING_CODE.test(value)) return SAMPLE_VALUES.pairing_code;
    const sample = known.get(value);
    if (sample !== undefined) return sample;
    if (TIME.test(value)) return value > REAL_FROM ? REAL_TIME : value;
    if (ID.test(value)) return this.#rename(value);
    const printed = parseObject(value);
    if (printed) return JSON.stringify(this.replace(printed, known), null, value.includes('\n') ? 2 : 0);
    const told = [...known].reduce((text, [real, name]) => text.replaceAll(real, name), value);
    const samples = new Set(known.values());
    const renamed = told.replace(ID_WITHIN, (id) => (samples.has(id) ? id : this.#rename(id)));
    return renamed.replace(HIDDEN_SECRET, SAMPLE_HIDDEN_SECRET);
  }

  /** Another id of the same form, by the order in which the ids were seen. */
  #rename(id: string): string {
    const name = this.#names.get(id) ?? this.#invent(id);
    this.#names.set(id, name);
    return name;
  }

  #invent(id: string): string {
    const digits = createHash('sha512').update(`${this.#names.size}`).digest('hex');
    const [kept = ''] = PREFIX.exec(id.replace(FIRST_OF_UUID, '0')) ?? [];
    // In an id with a prefix, a dash is a random character. In others it is a part of the format.
    const form = kept.length > 1 ? /./g : /[0-9A-Za-z]/g;
    let used = 0;
    const rest = id.slice(kept.length).replace(form, (letter) => digits[used++ % digits.length] ?? letter);
    return kept + rest;
  }
}

/** A recorded body is JSON as a text. */
function parseObject(text: string): object | undefined {
  return /^\{\s*["}]/.test(text) && text.endsWith('}') ? JSON.parse(text) : undefined;
}
