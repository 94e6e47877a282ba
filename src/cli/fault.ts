/** `tillhouse fault add|list|clear`: injects faults into requests and webhook deliveries (decision 0080). */
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { parseWholeNumber } from '../base/whole-number.js';
import { FAULT_EFFECTS } from '../sandbox/fault-queries.js';
import { OUTPUT_FLAG, required } from './command.js';
import { type Call, command } from './declare.js';
import { findRunningSandbox, type RunningSandbox, renameFieldsInError } from './running-server.js';

const FLAGS = {
  effect: { value: 'EFFECT', fallback: '', choices: FAULT_EFFECTS, about: `${FAULT_EFFECTS.join(', ')} (add)` },
  status: { value: 'NUMBER', fallback: '', about: 'with STATUS: any error status, 400 to 599 (add)' },
  'retry-after': { value: 'SECONDS', fallback: '', about: 'with --status 429 or 503; default for 429: 1 (add)' },
  delay: {
    value: 'MS|MS-MS',
    fallback: '',
    about: 'with DELAY, SLOW_BODY and WEBHOOK_LATE: a fixed time, or a range for random ones (add)',
  },
  operation: { value: 'NAME', fallback: '', about: 'an operation, such as v2.createPayment; default: any (add)' },
  event: { value: 'KIND', fallback: '', about: 'an event type, such as payment.created; default: any (add)' },
  times: { value: 'NUMBER', fallback: '1', about: 'the number of requests or deliveries to inject it into (add)' },
  merchant: {
    value: 'ID',
    fallback: '',
    about: 'only requests and deliveries of this merchant; default: all merchants, and for list and clear all faults',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

/** The server's error details name request fields; these are the flags that set them. */
const FLAG_OF = {
  status: '--status',
  retry_after_seconds: '--retry-after',
  delay_ms: '--delay',
  min_delay_ms: '--delay',
  max_delay_ms: '--delay',
  operation: '--operation',
  event_type: '--event',
  times: '--times',
};

type FaultCall = Call<typeof FLAGS>;

/** A fault in the JSON of the sandbox API. */
interface ListedFault {
  readonly id: string;
  readonly effect: string;
  readonly operation?: string;
  readonly event_type?: string;
  readonly merchant_id?: string;
  readonly remaining: number;
  readonly [detail: string]: unknown;
}

export const fault = command({
  name: 'fault',
  summary: 'inject faults into requests and webhook deliveries',
  usage: 'add|list|clear [flags]',
  about: 'Injects faults into requests and webhook deliveries.',
  flags: FLAGS,
  actions: { add: undefined, list: undefined, clear: undefined },
  async run(call) {
    const body = call.action === 'add' ? newFault(call) : undefined;
    const server = await findRunningSandbox(call.values);
    await ACTIONS[call.action](server, call, body);
  },
});

const ACTIONS = {
  async add(server: RunningSandbox, { values }: FaultCall, body: unknown): Promise<void> {
    const { fault: added } = await renameFieldsInError(
      FLAG_OF,
      server.call<{ fault: ListedFault }>('POST', 'faults', body),
    );
    if (values.output === 'json') console.log(JSON.stringify(added, null, 2));
    else print(added);
  },
  async list(server: RunningSandbox, { values }: FaultCall): Promise<void> {
    const { faults } = await server.call<{ faults: ListedFault[] }>('GET', `faults${merchantQuery(values.merchant)}`);
    if (values.output === 'json') return console.log(JSON.stringify(faults, null, 2));
    for (const each of faults) print(each);
    if (faults.length === 0 && process.stdout.isTTY) console.log('There are no faults.');
  },
  async clear(server: RunningSandbox, { values }: FaultCall): Promise<void> {
    await server.call('DELETE', `faults${merchantQuery(values.merchant)}`);
    console.log(values.output === 'json' ? '[]' : 'Cleared.');
  },
};

function newFault({ values }: FaultCall): Record<string, unknown> {
  const effect = required(values.effect, 'effect');
  if (effect === 'STATUS' && values.status === '') throw new UsageError('STATUS needs --status, such as 503.');
  if (['DELAY', 'SLOW_BODY', 'WEBHOOK_LATE'].includes(effect) && values.delay === '') {
    throw new UsageError(
      `${effect} needs --delay in milliseconds, such as 2000, or 100-2000 for a random delay in this range.`,
    );
  }
  const [min = '', max] = values.delay.split('-');
  const delay =
    max === undefined
      ? { delay_ms: numberOf('delay', min) }
      : { min_delay_ms: numberOf('delay', min), max_delay_ms: numberOf('delay', max) };
  return {
    effect,
    status: numberOf('status', values.status),
    retry_after_seconds: numberOf('retry-after', values['retry-after']),
    ...delay,
    operation: values.operation || undefined,
    event_type: values.event || undefined,
    merchant_id: values.merchant || undefined,
    times: numberOf('times', values.times),
  };
}

function numberOf(flag: string, text: string): number | undefined {
  if (text === '') return undefined;
  const number = parseWholeNumber(text, { min: 0, max: 999_999_999 });
  if (number === undefined) throw new UsageError(`--${flag} must be a whole number, not '${text}'.`);
  return number;
}

function merchantQuery(merchantId: string): string {
  return merchantId === '' ? '' : `?merchant_id=${encodeURIComponent(merchantId)}`;
}

function print({ id, effect, operation, event_type, merchant_id, remaining, ...details }: ListedFault): void {
  const fields = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  const target = effect.startsWith('WEBHOOK') ? (event_type ?? 'any event') : (operation ?? 'any operation');
  const scope = [target, merchant_id ?? 'all merchants'];
  console.log([id, [effect, ...fields].join(' '), ...scope, `${remaining} left`].join('  '));
}
