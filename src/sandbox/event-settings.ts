/** Values of an event that its requests can set, such as `payment.amount_money.amount`. */
import { Refusal } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';

type Members = Readonly<Record<string, unknown>>;

/** Members of the requests that make the records of an event. */
export interface EventSettings {
  readonly payment: Members;
  readonly refund: Members;
}

/** What the request that makes each record takes. Everything else of a record is the server's. */
export type Settable = Readonly<Record<keyof EventSettings, readonly string[]>>;

const KINDS_WITH: Readonly<Record<keyof EventSettings, RegExp>> = {
  payment: /^(?:payment|refund)\.|^PAYMENT_/,
  refund: /^refund\./,
};

/** A path may begin as in the event, with `data.object.`. Refuses what no request for an event of this kind takes: it would be ignored. */
export function toSettings(kind: string, given: Members, settable: Settable): EventSettings {
  const settings = { payment: {}, refund: {} };
  for (const [path, value] of Object.entries(given)) {
    const [record = '', ...members] = path.replace(/^data\.object\./, '').split('.');
    const refuse = (why: string) => new Refusal('INVALID_VALUE', { field: 'set', detail: `${path}: ${why}` });
    if (!Object.hasOwn(settable, record)) {
      throw refuse('a value of an event begins with payment or refund, such as payment.note.');
    }
    const name = record as keyof EventSettings;
    if (!KINDS_WITH[name].test(kind)) throw refuse(`${kind} has no ${name} that could be set.`);
    const [first = ''] = members;
    const taken = settable[name];
    if (!taken.includes(first)) {
      const hint = `${didYouMean(first, taken)} It has ${taken.join(', ')}.`;
      throw refuse(`a request for a ${name} has no ${first}.${hint}`);
    }
    put(settings[name], members, value);
  }
  return settings;
}

function put(target: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (name === '__proto__') return;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[name] = next;
  put(next, rest, value);
}

/** Objects are completed by what was set, other values are replaced. */
export function withSettings(body: Members, set: Members): Record<string, unknown> {
  const result: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(set)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? withSettings(before, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
