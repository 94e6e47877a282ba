/** `tillhouse events list|resend`: lists the webhook deliveries of a merchant, and sends an event again. */
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
import { fetchDeliveries, type ListedDelivery } from './webhook-deliveries.js';

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
  summary: 'list webhook deliveries, and send an event again',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      const about = 'Lists the webhook deliveries of a merchant, newest first, or sends an event again.';
      return printHelp('events list | resend EVENT_ID [flags]', about, FLAGS);
    }
    const action = actionOf(call, ['list', 'resend']);
    rejectExtraArguments(call, action === 'resend' ? 2 : 1);
    if (action === 'resend' && call.words[1] === undefined) {
      throw new UsageError('The event id is missing: tillhouse events resend EVENT_ID');
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
