/**
 * Puts ids of real records in the place of the samples in examples. The page of the API reference and the console do that in a browser, so
 * this imports nothing that only a server has.
 */
import { SAMPLE_IDS } from './sample-ids.js';

type SampleName = keyof typeof SAMPLE_IDS;

/** Ids of real records, by the names of their samples. */
export type OwnIds = Readonly<Partial<Record<SampleName, string>>>;

/** Reads a resource with an access token of the merchant. Undefined: it was refused. */
type Read = (path: string) => Promise<unknown>;

interface SampleSource {
  /** `LOCATION` stands for the first location. */
  readonly path: string;
  /** The member of the response that has the record, or a list of such records. Absent: the response itself is the list. */
  readonly member?: string;
}

const LOCATIONS: SampleSource = { path: '/v2/locations', member: 'locations' };

/** Where a record of each kind is found. */
const SAMPLE_SOURCES: Readonly<Partial<Record<SampleName, SampleSource>>> = {
  merchant_id: { path: '/v2/merchants/me', member: 'merchant' },
  location_id: LOCATIONS,
  role_id: { path: '/v1/me/roles?limit=1' },
  employee_id: { path: '/v2/employees?limit=1', member: 'employees' },
  timecard_id: { path: '/v1/me/timecards?limit=1' },
  payment_id: { path: '/v2/payments?limit=1', member: 'payments' },
  refund_id: { path: '/v2/refunds?limit=1', member: 'refunds' },
  bank_account_id: { path: '/v2/bank-accounts?limit=1', member: 'bank_accounts' },
  shift_id: { path: '/v2/cash-drawers/shifts?limit=1&location_id=LOCATION', member: 'items' },
  order_id: { path: '/v1/LOCATION/orders?limit=1' },
  settlement_id: { path: '/v1/LOCATION/settlements?limit=1' },
  subscription_id: { path: '/v2/webhooks/subscriptions?limit=1', member: 'subscriptions' },
};

/** Finds a record for each sample in a text. A merchant without such a record leaves the sample. */
export async function findOwnIds(text: string, read: Read): Promise<OwnIds> {
  const used = entriesOf(SAMPLE_SOURCES).filter(([name]) => text.includes(SAMPLE_IDS[name]));
  const needsLocation = used.some(([, source]) => source === LOCATIONS || source.path.includes('LOCATION'));
  const location = needsLocation ? await findId(LOCATIONS, read) : undefined;
  const found = await Promise.all(
    used.map(async ([name, source]) => {
      if (source === LOCATIONS) return [name, location] as const;
      if (!source.path.includes('LOCATION')) return [name, await findId(source, read)] as const;
      if (location === undefined) return [name, undefined] as const;
      return [name, await findId({ ...source, path: source.path.replace('LOCATION', location) }, read)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, id]) => id !== undefined));
}

async function findId({ path, member }: SampleSource, read: Read): Promise<string | undefined> {
  const body = (await read(path)) as Readonly<Record<string, unknown>> | undefined;
  const found = body && member !== undefined ? body[member] : body;
  const record = Array.isArray(found) ? found[0] : found;
  return (record as { readonly id?: string } | undefined)?.id;
}

export function withOwnIds(text: string, ids: OwnIds): string {
  return replaceSamples(text, Object.fromEntries(entriesOf(ids).map(([name, id]) => [SAMPLE_IDS[name], id])));
}

/** The text with real values in the place of samples. The id of a refund contains that of a payment, so the longest comes first. */
export function replaceSamples(text: string, values: Readonly<Record<string, string>>): string {
  const longestFirst = Object.entries(values).sort(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((filled, [sample, real]) => filled.replaceAll(sample, real), text);
}

function entriesOf<Value>(record: Readonly<Partial<Record<SampleName, Value>>>): [SampleName, Value][] {
  return Object.entries(record) as [SampleName, Value][];
}
