/** `tillhouse trigger KIND`: causes an event with real requests, and prints the ids of the created records. */
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { OUTPUT_FLAG, TOKEN_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { EVENT_FIXTURES, type FixtureContext } from './event-fixtures.js';
import { findRunningSandbox, merchantOf, merchantOfToken, type RunningSandbox } from './running-server.js';
import { fetchDeliveries, type ListedDelivery } from './webhook-deliveries.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant of the event; default: the merchant of the token' },
  token: TOKEN_FLAG,
  application: {
    value: 'ID',
    fallback: '',
    about: 'the application whose authorization is revoked (oauth.authorization.revoked); default: a new application',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type TriggerCall = Call<typeof FLAGS>;

const KINDS = Object.keys(EVENT_FIXTURES) as (keyof typeof EVENT_FIXTURES)[];

export const trigger = command({
  name: 'trigger',
  summary: 'cause an event, such as payment.updated',
  usage: 'KIND [flags]',
  about: `Causes an event. KIND is one of:\n  ${KINDS.join('\n  ')}`,
  flags: FLAGS,
  word: { is: 'kind', like: `KIND. KIND is one of ${KINDS.join(', ')}.` },
  async run(call) {
    const kind = kindOf(call.word);
    const sandbox = await findRunningSandbox(call.values);
    const context = await prepareFixtures(sandbox, call);
    const before = new Set((await fetchDeliveries(sandbox, context.merchantId)).map(({ id }) => id));
    const created = await EVENT_FIXTURES[kind](context);
    const deliveries = (await fetchDeliveries(sandbox, context.merchantId)).filter(
      ({ id, event_type, entity_id }) =>
        event_type === kind &&
        !before.has(id) &&
        (kind === 'oauth.authorization.revoked' || Object.values(created).includes(entity_id)),
    );
    const events = [...new Set(deliveries.map(({ event_id }) => event_id))];
    if (call.values.output === 'json') {
      console.log(
        JSON.stringify(
          { event_type: kind, merchant_id: context.merchantId, made: created, event_ids: events },
          null,
          2,
        ),
      );
    } else {
      for (const [name, id] of Object.entries(created)) console.log(`${name}  ${id}`);
      console.log(describe(kind, events, deliveries));
    }
  },
});

function kindOf(word: string): (typeof KINDS)[number] {
  const kind = KINDS.find((each) => each === word);
  if (kind) return kind;
  const list = `KIND must be one of ${KINDS.join(', ')}`;
  if (word === 'INVENTORY_UPDATED')
    throw new UsageError(`INVENTORY_UPDATED never occurs: there is no inventory. ${list}.`);
  throw new UsageError(`${list}, not '${word}'.`);
}

async function prepareFixtures(sandbox: RunningSandbox, { values }: TriggerCall): Promise<FixtureContext> {
  const { merchant, application: applicationId } = values;
  const token = merchant === '' ? values.token || sandbox.demoToken : undefined;
  if (token !== undefined) {
    return { sandbox, merchantId: await merchantOfToken(sandbox, token), token, applicationId };
  }
  const merchantId = merchantOf(sandbox, merchant);
  const path = `merchants/${encodeURIComponent(merchantId)}/tokens`;
  const created = await sandbox.call<{ access_token: string }>('POST', path, {});
  return { sandbox, merchantId, token: created.access_token, applicationId };
}

function describe(kind: string, events: readonly string[], deliveries: readonly ListedDelivery[]): string {
  if (events.length === 0)
    return `No subscriber for ${kind}. To receive events, run in another terminal: tillhouse listen`;
  const subscriptions = `${deliveries.length} ${deliveries.length === 1 ? 'subscription' : 'subscriptions'}`;
  return `Sent to ${subscriptions}: ${events.map((id) => `event ${id}`).join(', ')}`;
}
