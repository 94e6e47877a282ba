/** `tillhouse trigger KIND|@FILE`: causes events with real requests, and prints the ids of the created records. */
import { DATA_FLAGS, REPEATED_SEPARATOR, UsageError } from '../base/config.js';
import { didYouMean } from '../base/nearest.js';
import { V2_EVENT_KINDS } from '../events/model.js';
import { OUTPUT_FLAG, TOKEN_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { type CreatedIds, EVENT_FIXTURES, type FixtureContext } from './event-fixtures.js';
import { type EventSettings, parseSetting, toSettings } from './event-settings.js';
import { readBodyFile } from './request.js';
import { chooseMerchant, findRunningSandbox, MERCHANT_FLAG, type RunningSandbox } from './running-server.js';
import { fetchDeliveries } from './webhook-deliveries.js';

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
type Kind = keyof typeof EVENT_FIXTURES;

const KINDS = Object.keys(EVENT_FIXTURES) as Kind[];

/** An event to cause. */
interface Wanted {
  readonly kind: Kind;
  readonly settings: EventSettings;
}

/** What was made, and who was told. */
interface Caused {
  readonly kind: Kind;
  readonly merchantId: string;
  readonly made: CreatedIds;
  readonly events: readonly string[];
  readonly subscriptions: number;
}

export const trigger = command({
  name: 'trigger',
  summary: 'cause an event, such as payment.updated',
  usage: 'KIND|@FILE [flags]',
  about: [
    'Causes an event, or the events of a file, one after the other. KIND is one of:',
    ...KINDS.map((kind) => `  ${kind}`),
    'A file has a JSON list such as [{"kind": "payment.created", "set": {"payment.note": "one"}}, {"kind": "refund.created"}].',
  ].join('\n'),
  flags: FLAGS,
  word: { is: 'kind', like: `KIND. KIND is one of ${KINDS.join(', ')}.` },
  async run(call) {
    const { values, word } = call;
    const wanted = word.startsWith('@') ? await readWanted(call) : [await toWanted(word, settingsOf(values.set))];
    const sandbox = await findRunningSandbox(values);
    const { merchantId, token } = await chooseMerchant(sandbox, values);
    const context = { sandbox, merchantId, token, applicationId: values.application };
    const all: Caused[] = [];
    for (const each of wanted) {
      const caused = await cause(each, { ...context, settings: each.settings });
      all.push(caused);
      if (values.output === 'text') printCaused(caused, call, sandbox);
    }
    if (values.output === 'json') {
      const outputs = all.map(toOutput);
      console.log(JSON.stringify(word.startsWith('@') ? outputs : outputs[0], null, 2));
    }
  },
});

function settingsOf(given: string): readonly (readonly [string, unknown])[] {
  return given === '' ? [] : given.split(REPEATED_SEPARATOR).map(parseSetting);
}

async function toWanted(word: string, given: Parameters<typeof toSettings>[1]): Promise<Wanted> {
  const kind = kindOf(word);
  return { kind, settings: await toSettings(kind, given) };
}

/** The events of a file. */
async function readWanted({ word, values }: TriggerCall): Promise<readonly Wanted[]> {
  if (values.set !== '') throw new UsageError('--set cannot be combined with a file: write "set" into the file.');
  const text = await readBodyFile(word.slice(1));
  const entries = parseEntries(text, word);
  if (entries.length === 0) throw new UsageError(`${word} has no events.`);
  const wanted = entries.map((entry) => {
    const { kind, set = {} } = entry as { kind?: unknown; set?: Record<string, unknown> };
    if (typeof kind !== 'string') throw new UsageError(`${word}: each event needs "kind", such as "payment.created".`);
    return toWanted(kind, Object.entries(set));
  });
  return Promise.all(wanted);
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

async function cause({ kind }: Wanted, context: FixtureContext): Promise<Caused> {
  const { sandbox, merchantId } = context;
  const before = new Set((await fetchDeliveries(sandbox, merchantId)).map(({ id }) => id));
  const made = await EVENT_FIXTURES[kind](context);
  const deliveries = (await fetchDeliveries(sandbox, merchantId)).filter(
    ({ id, event_type, entity_id }) =>
      event_type === kind &&
      !before.has(id) &&
      (kind === 'oauth.authorization.revoked' || Object.values(made).includes(entity_id)),
  );
  const events = [...new Set(deliveries.map(({ event_id }) => event_id))];
  return { kind, merchantId, made, events, subscriptions: deliveries.length };
}

function toOutput({ kind, merchantId, made, events }: Caused) {
  return { event_type: kind, merchant_id: merchantId, made, event_ids: events };
}

function kindOf(word: string): Kind {
  const kind = KINDS.find((each) => each === word);
  if (kind) return kind;
  const list = `KIND must be one of ${KINDS.join(', ')}`;
  if (word === 'INVENTORY_UPDATED')
    throw new UsageError(`INVENTORY_UPDATED never occurs: there is no inventory. ${list}.`);
  throw new UsageError(`${list}, not '${word}'.${didYouMean(word, KINDS)}`);
}

function printCaused(
  { kind, merchantId, made, events, subscriptions }: Caused,
  call: TriggerCall,
  sandbox: RunningSandbox,
): void {
  for (const [name, id] of Object.entries(made)) console.log(`${name}  ${id}`);
  if (events.length === 0) {
    console.log(explainSilence(kind, merchantId, call, sandbox));
    return;
  }
  const to = `${subscriptions} ${subscriptions === 1 ? 'subscription' : 'subscriptions'}`;
  console.log(`Sent to ${to}: ${events.map((id) => `event ${id}`).join(', ')}`);
}

/** Says how this event would be received, with the flags that this takes. */
function explainSilence(
  kind: Kind,
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
