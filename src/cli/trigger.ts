/** `tillhouse trigger KIND|@FILE`: lets the server cause events, and prints the ids of the created records. */
import { DATA_FLAGS, REPEATED_SEPARATOR, UsageError } from '../base/config.js';
import { didYouMean } from '../base/nearest.js';
import { CAUSED_KINDS, type CausedKind, V2_EVENT_KINDS } from '../events/model.js';
import { OUTPUT_FLAG, TOKEN_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { readBodyFile } from './request.js';
import {
  findRunningSandbox,
  MERCHANT_FLAG,
  merchantOf,
  merchantOfToken,
  type RunningSandbox,
} from './running-server.js';

const FLAGS = {
  merchant: MERCHANT_FLAG,
  token: TOKEN_FLAG,
  application: {
    value: 'ID',
    fallback: '',
    about: 'the application whose authorization is revoked (oauth.authorization.revoked); default: a new application',
  },
  set: {
    value: 'PATH=VALUE',
    fallback: '',
    isRepeated: true,
    about:
      'a value of the event that its request can set, such as data.object.payment.amount_money.amount=500; several times',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type TriggerCall = Call<typeof FLAGS>;

/** An event to cause, with values by their places. */
interface Wanted {
  readonly kind: CausedKind;
  readonly set: Readonly<Record<string, unknown>>;
}

/** What was made, and who was told. */
interface Caused {
  readonly event_type: CausedKind;
  readonly made: Readonly<Record<string, string>>;
  readonly event_ids: readonly string[];
  readonly subscriptions: number;
}

export const trigger = command({
  name: 'trigger',
  summary: 'cause an event, such as payment.updated',
  usage: 'KIND|@FILE [flags]',
  about: [
    'Causes an event, or the events of a file, one after the other. KIND is one of:',
    ...CAUSED_KINDS.map((kind) => `  ${kind}`),
    'A file has a JSON list such as [{"kind": "payment.created", "set": {"payment.note": "one"}}, {"kind": "refund.created"}].',
  ].join('\n'),
  flags: FLAGS,
  word: { is: 'kind', like: `KIND. KIND is one of ${CAUSED_KINDS.join(', ')}.` },
  async run(call) {
    const { values, word } = call;
    const isFile = word.startsWith('@');
    const events = isFile ? await readWanted(call) : [{ kind: kindOf(word), set: settingsOf(values.set) }];
    const sandbox = await findRunningSandbox(values);
    const merchantId = await merchantFor(sandbox, values);
    const caused = await sandbox.call<{ events: readonly Caused[] }>(
      'POST',
      `merchants/${encodeURIComponent(merchantId)}/events`,
      { events, ...(values.application !== '' && { application_id: values.application }) },
    );
    if (values.output === 'text') {
      for (const each of caused.events) printCaused(each, merchantId, call, sandbox);
      return;
    }
    const outputs = caused.events.map((each) => toOutput(each, merchantId));
    console.log(JSON.stringify(isFile ? outputs : outputs[0], null, 2));
  },
});

/** That of `--merchant` or of `--token`. Default: the demo merchant. */
async function merchantFor(sandbox: RunningSandbox, { merchant, token }: TriggerCall['values']): Promise<string> {
  return merchant === '' && token !== '' ? merchantOfToken(sandbox, token) : merchantOf(sandbox, merchant);
}

/** Reads each `PATH=VALUE`. A value is JSON, or else text. */
function settingsOf(given: string): Wanted['set'] {
  const settings = given === '' ? [] : given.split(REPEATED_SEPARATOR).map(parseSetting);
  return Object.fromEntries(settings);
}

function parseSetting(given: string): readonly [path: string, value: unknown] {
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

/** The events of a file. */
async function readWanted({ word, values }: TriggerCall): Promise<readonly Wanted[]> {
  if (values.set !== '') throw new UsageError('--set cannot be combined with a file: write "set" into the file.');
  const text = await readBodyFile(word.slice(1));
  const entries = parseEntries(text, word);
  if (entries.length === 0) throw new UsageError(`${word} has no events.`);
  return entries.map((entry) => {
    const { kind, set = {} } = entry as { kind?: unknown; set?: Record<string, unknown> };
    if (typeof kind !== 'string') throw new UsageError(`${word}: each event needs "kind", such as "payment.created".`);
    return { kind: kindOf(kind), set };
  });
}

function parseEntries(text: string, file: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((each) => typeof each === 'object' && each !== null)) return parsed;
  } catch {
    // the same advice
  }
  throw new UsageError(`${file} must be a JSON list of events, such as [{"kind": "payment.created"}].`);
}

function toOutput({ event_type, made, event_ids }: Caused, merchant_id: string) {
  return { event_type, merchant_id, made, event_ids };
}

function kindOf(word: string): CausedKind {
  const kind = CAUSED_KINDS.find((each) => each === word);
  if (kind) return kind;
  const list = `KIND must be one of ${CAUSED_KINDS.join(', ')}`;
  if (word === 'INVENTORY_UPDATED')
    throw new UsageError(`INVENTORY_UPDATED never occurs: there is no inventory. ${list}.`);
  throw new UsageError(`${list}, not '${word}'.${didYouMean(word, CAUSED_KINDS)}`);
}

function printCaused(
  { event_type, made, event_ids, subscriptions }: Caused,
  merchantId: string,
  call: TriggerCall,
  sandbox: RunningSandbox,
): void {
  for (const [name, id] of Object.entries(made)) console.log(`${name}  ${id}`);
  if (event_ids.length === 0) {
    console.log(explainSilence(event_type, merchantId, call, sandbox));
    return;
  }
  const to = `${subscriptions} ${subscriptions === 1 ? 'subscription' : 'subscriptions'}`;
  console.log(`Sent to ${to}: ${event_ids.map((id) => `event ${id}`).join(', ')}`);
}

/** Says how this event would be received, with the flags that this takes. */
function explainSilence(
  kind: CausedKind,
  merchantId: string,
  { values }: TriggerCall,
  { demoMerchantId }: RunningSandbox,
): string {
  const none = `No subscriber for ${kind}.`;
  if (kind === 'oauth.authorization.revoked') {
    return `${none} Only the application whose authorization is revoked receives it: subscribe one, and name it with --application.`;
  }
  const isUsual = (V2_EVENT_KINDS as readonly string[]).includes(kind);
  const { 'data-dir': dataDir } = values;
  const flags = [
    ...(isUsual ? [] : [`--events ${kind}`]),
    ...(merchantId === demoMerchantId ? [] : ['--token TOKEN_OF_THIS_MERCHANT']),
    ...(dataDir === DATA_FLAGS['data-dir'].fallback ? [] : [`--data-dir ${dataDir}`]),
  ];
  return `${none} To receive it, run in another terminal: ${['tillhouse listen', ...flags].join(' ')}`;
}
