/** `tillhouse trigger KIND`: makes something happen of which applications are told, and says what it made. */
import {
  DATA_FLAGS,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { type Command, OUTPUT_FLAG, printHelp, TOKEN_FLAG } from './command.js';
import { EVENT_FIXTURES, type Stage } from './event-fixtures.js';
import { findRunningSandbox, merchantOf, type RunningSandbox } from './running-server.js';
import { fetchDeliveries, type ListedDelivery } from './webhook-deliveries.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'to whom it happens; absent: whose token it is' },
  token: TOKEN_FLAG,
  application: {
    value: 'ID',
    fallback: '',
    about: 'whose authorization is revoked (oauth.authorization.revoked); absent: a new application',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type TriggerCall = ParsedArguments<typeof FLAGS>;

const KINDS = Object.keys(EVENT_FIXTURES) as (keyof typeof EVENT_FIXTURES)[];

export const trigger: Command = {
  name: 'trigger',
  summary: 'make an event happen, such as payment.updated',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      return printHelp('trigger KIND [flags]', `Makes an event happen, one of:\n  ${KINDS.join('\n  ')}`, FLAGS);
    }
    const kind = kindOf(call);
    rejectExtraArguments(call, 1);
    const sandbox = await findRunningSandbox(toDataDir(call.values));
    const stage = await prepareStage(sandbox, call);
    const before = new Set((await fetchDeliveries(sandbox, stage.merchantId)).map(({ id }) => id));
    const made = await EVENT_FIXTURES[kind](stage);
    const deliveries = (await fetchDeliveries(sandbox, stage.merchantId)).filter(
      ({ id, event_type, entity_id }) =>
        event_type === kind &&
        !before.has(id) &&
        (kind === 'oauth.authorization.revoked' || Object.values(made).includes(entity_id)),
    );
    const events = [...new Set(deliveries.map(({ event_id }) => event_id))];
    if (call.values.output === 'json') {
      console.log(
        JSON.stringify({ event_type: kind, merchant_id: stage.merchantId, made, event_ids: events }, null, 2),
      );
    } else {
      for (const [name, id] of Object.entries(made)) console.log(`${name}  ${id}`);
      console.log(describe(kind, events, deliveries));
    }
  },
};

function kindOf({ words: [word] }: TriggerCall): (typeof KINDS)[number] {
  const kind = KINDS.find((each) => each === word);
  if (kind) return kind;
  const list = `Say which event: ${KINDS.join(', ')}`;
  if (word === 'INVENTORY_UPDATED')
    throw new UsageError(`INVENTORY_UPDATED never happens: there is no inventory. ${list}.`);
  throw new UsageError(word === undefined ? `${list}.` : `${list} (not '${word}').`);
}

async function prepareStage(sandbox: RunningSandbox, { values }: TriggerCall): Promise<Stage> {
  const { merchant, application: applicationId } = values;
  const token = merchant === '' ? values.token || sandbox.demoToken : undefined;
  if (token !== undefined) {
    const status = { method: 'POST', path: '/oauth2/token/status', token } as const;
    const { merchant_id: merchantId } = await sandbox.ask<{ merchant_id: string }>(status);
    return { sandbox, merchantId, token, applicationId };
  }
  const merchantId = merchantOf(sandbox, merchant);
  const path = `merchants/${encodeURIComponent(merchantId)}/tokens`;
  const made = await sandbox.call<{ access_token: string }>('POST', path, {});
  return { sandbox, merchantId, token: made.access_token, applicationId };
}

function describe(kind: string, events: readonly string[], deliveries: readonly ListedDelivery[]): string {
  if (events.length === 0)
    return `Nobody listens to ${kind} here. To hear it, run in another terminal: tillhouse listen`;
  return `Told to ${deliveries.length}: ${events.map((id) => `event ${id}`).join(', ')}`;
}
