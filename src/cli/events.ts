/** `tillhouse events list|show|resend`: lists the webhook deliveries of a merchant, shows an event, and sends it again. */
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { DELIVERY_STATES } from '../events/model.js';
import { OUTPUT_FLAG } from './command.js';
import { type Call, command } from './declare.js';
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

type EventsCall = Call<typeof FLAGS>;

const EVENT_ID = { is: 'event id', like: 'EVENT_ID' };

export const events = command({
  name: 'events',
  summary: 'list webhook deliveries, show an event, and send it again',
  usage: 'list | show EVENT_ID | resend EVENT_ID [flags]',
  about:
    'Lists the webhook deliveries of a merchant, newest first; shows an event with every attempt; or sends it again.',
  flags: FLAGS,
  actions: { list: undefined, show: EVENT_ID, resend: EVENT_ID },
  async run(call) {
    const sandbox = await findRunningSandbox(call.values);
    await ACTIONS[call.action](sandbox, merchantOf(sandbox, call.values.merchant), call);
  },
});

const ACTIONS = {
  async list(sandbox: RunningSandbox, merchantId: string, { values }: EventsCall): Promise<void> {
    const deliveries = await fetchDeliveries(sandbox, merchantId, values);
    if (values.output === 'json') console.log(JSON.stringify(deliveries, null, 2));
    else for (const each of deliveries) console.log(lineOf(each));
  },

  /** The id may also be that of a delivery. */
  async show(sandbox: RunningSandbox, merchantId: string, { values, word: id }: EventsCall): Promise<void> {
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

  async resend(sandbox: RunningSandbox, merchantId: string, { values, word: eventId }: EventsCall) {
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
