/** Values that `tillhouse trigger` puts into the requests that cause an event, such as `payment.amount_money.amount=500`. */
import { UsageError } from '../base/config.js';
import { didYouMean } from '../base/nearest.js';

type Members = Readonly<Record<string, unknown>>;

/** Members of the requests that make the records of an event. */
export interface EventSettings {
  readonly payment: Members;
  readonly refund: Members;
}

/** The operation that makes each record. Everything else of a record is the server's. */
const MADE_BY: Readonly<Record<keyof EventSettings, string>> = { payment: 'createPayment', refund: 'refundPayment' };

const KINDS_WITH: Readonly<Record<keyof EventSettings, RegExp>> = {
  payment: /^(?:payment|refund)\.|^PAYMENT_/,
  refund: /^refund\./,
};

/** Reads `PATH=VALUE`. A path may begin as in the event, with `data.object.`. A value is JSON, or else text. */
export function parseSetting(given: string): readonly [path: string, value: unknown] {
  const mark = given.indexOf('=');
  if (mark < 1)
    throw new UsageError(`--set must be PATH=VALUE, such as payment.amount_money.amount=500, not '${given}'.`);
  return [given.slice(0, mark), parseValue(given.slice(mark + 1))];
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Only with settings: the declarations of all operations take longer to load than most commands run. */
async function namesTakenBy(record: keyof EventSettings): Promise<readonly string[]> {
  const { operations } = await import('../operations.js');
  const found = operations.find(({ surface, name }) => surface === 'v2' && name === MADE_BY[record]);
  const { properties = {} } = (found?.body ?? {}) as { properties?: object };
  return Object.keys(properties).filter((name) => name !== 'payment_id');
}

/** Refuses what no request for an event of this kind takes: it would be ignored. */
export async function toSettings(
  kind: string,
  given: readonly (readonly [path: string, value: unknown])[],
): Promise<EventSettings> {
  const settings = { payment: {}, refund: {} };
  for (const [path, value] of given) {
    const [record = '', ...members] = path.replace(/^data\.object\./, '').split('.');
    const [first = ''] = members;
    if (!Object.hasOwn(MADE_BY, record))
      throw new UsageError(`--set ${path}: the path must begin with payment or refund, such as payment.note.`);
    const name = record as keyof EventSettings;
    if (!KINDS_WITH[name].test(kind)) throw new UsageError(`--set ${path}: ${kind} has no ${name} that could be set.`);
    const taken = await namesTakenBy(name);
    if (!taken.includes(first)) {
      throw new UsageError(
        `--set ${path}: a request for a ${name} has no ${first}.${didYouMean(first, taken)} It has ${taken.join(', ')}.`,
      );
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
