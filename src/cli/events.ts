/** `tillhouse events list|show|resend`: lists the webhook deliveries of a merchant, shows an event, and sends it again. */
import {
  DATA_FLAGS,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { DELIVERY_STATES } from '../events/model.js';
import { actionOf, type Command, OUTPUT_FLAG, printHelp } from './command.js';
import { findRunningSandbox, merchantOf, type RunningSandbox } from './running-server.js';
import { fetchDeliveries, fetchDelivery, type ListedAttempt, type ListedDelivery } from './webhook-deliveries.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant of the events; default: the demo merchant' },
  state: {
    value: 'STATE',
    fallback: '',
    choices: DELIVERY_STATES,
    about: 'WAITING, DELIVERED or GIVEN_UP; default: any (list)',
  },
  limit: { value: 'NUMBER', fallback: '20', about: 'the maximum number of deliveries (list)' },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type EventsCall = ParsedArguments<typeof FLAGS>;

export const events: Command = {
  name: 'events',
  summary: 'list webhook deliveries, show an event, and send it again',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      const about =
        'Lists the webhook deliveries of a merchant, newest first; shows an event with every attempt; or sends it again.';
      return printHelp('events list | show EVENT_ID | resend EVENT_ID [flags]', about, FLAGS);
    }
    const action = actionOf(call, ['list', 'show', 'resend']);
    rejectExtraArguments(call, action === 'list' ? 1 : 2);
    if (action !== 'list' && call.words[1] === undefined) {
      throw new UsageError(`The event id is missing: tillhouse events ${action} EVENT_ID`);
    }
    const sandbox = await findRunningSandbox(toDataDir(call.values));
    await ACTIONS[action](sandbox, merchantOf(sandbox, call.values.merchant), call);
  },
};

const ACTIONS = {
  async list(sandbox: RunningSandbox, merchantId: string, { values }: EventsCall): Promise<void> {
    const deliveries = await fetchDeliveries(sandbox, merchantId, values);
    if (values.output === 'json') console.log(JSON.stringify(deliveries, null, 2));
    else for (const each of deliveries) console.log(lineOf(each));
  },

  /** The id may also be that of a delivery. */
  async show(sandbox: RunningSandbox, merchantId: string, { values, words: [, id = ''] }: EventsCall): Promise<void> {
    const all = await fetchDeliveries(sandbox, merchantId);
    const listed = all.filter((each) => each.event_id === id || each.id === id);
    if (listed.length === 0) throw new UsageError(`There is no event ${id} among the latest deliveries.`);
    const found = await Promise.all(listed.map((each) => fetchDelivery(sandbox, merchantId, each.id)));
    if (values.output === 'json') return console.log(JSON.stringify(found, null, 2));
    const [{ delivery: first } = { delivery: undefined }] = found;
    console.log(`${first?.event_type}  ${first?.event_id}  about ${first?.entity_id}`);
    console.log(indent(first?.body ?? ''));
    for (const { delivery, attempts } of found) {
      console.log(`Delivery ${delivery.id} to ${delivery.subscription_id}: ${delivery.state}`);
      for (const each of attempts) console.log(`  ${attemptLine(each)}`);
    }
  },

  async resend(sandbox: RunningSandbox, merchantId: string, { values, words: [, eventId = ''] }: EventsCall) {
    const path = `merchants/${encodeURIComponent(merchantId)}/webhook-events/${encodeURIComponent(eventId)}/resend`;
    const { deliveries } = await sandbox.call<{ deliveries: number }>('POST', path);
    const asJson = values.output === 'json';
    console.log(
      asJson
        ? JSON.stringify({ event_id: eventId, deliveries }, null, 2)
        : `Sending again to ${deliveries} ${deliveries === 1 ? 'subscription' : 'subscriptions'}.`,
    );
  },
};

function indent(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

function attemptLine({ number, started_at, duration_ms, status_code, failure, answer }: ListedAttempt): string {
  const outcome = status_code ?? failure ?? 'no response';
  return `${number}. ${started_at}  ${outcome} in ${duration_ms} ms${answer === '' ? '' : `  ${answer.slice(0, 200)}`}`;
}

function lineOf({ created_at, event_type, event_id, entity_id, state, attempt_count, fault }: ListedDelivery): string {
  const progress = `${state} after ${attempt_count} ${attempt_count === 1 ? 'attempt' : 'attempts'}`;
  const columns = [
    created_at,
    event_type.padEnd(27),
    event_id,
    entity_id,
    progress,
    ...(fault === undefined ? [] : [fault]),
  ];
  return columns.join('  ');
}
