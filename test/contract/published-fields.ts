/** The fields and parameters of the published clients that an operation of ours does not have. */
import type { Operation } from '../../src/api/operation.js';
import { responseSchema } from '../../src/api/routes.js';
import type { ClientType } from './client-models.js';
import { PUBLISHED_CLIENTS, type PublishedClient } from './published-clients.js';
import { nameOf } from './requests.js';
import { queryOf, type Schema } from './schemas.js';

export interface MissingField {
  readonly operation: string;
  readonly client: string;
  readonly part: 'parameter' | 'sent field' | 'returned field';
  /** Such as `limit`, or with its model `Payment.wallet_details`. */
  readonly place: string;
}

export interface ComparedFields {
  readonly missing: readonly MissingField[];
  /** How many fields and parameters were compared. */
  readonly count: number;
}

export function compareFields(operation: Operation): ComparedFields {
  const compared = PUBLISHED_CLIENTS.map((client) => compareWith(client, operation));
  return {
    missing: compared.flatMap(({ missing }) => missing),
    count: compared.reduce((sum, { count }) => sum + count, 0),
  };
}

function compareWith(client: PublishedClient, operation: Operation): ComparedFields {
  const route = operation.path.replaceAll(/\{\w+\}/g, '{}');
  const call = client.calls.find((each) => each.method === operation.method && each.route === route);
  if (!call) return { missing: [], count: 0 };
  const missing = new Map<string, MissingField>();
  let count = 0;
  const note = (part: MissingField['part'], place: string, isOurs: boolean): void => {
    count++;
    const field = { operation: nameOf(operation), client: client.name, part, place };
    if (!isOurs) missing.set(JSON.stringify(field), field);
  };

  const walk = (type: ClientType, schema: Schema | undefined, part: MissingField['part']): void => {
    const inside = type.isList ? schema?.items : schema;
    for (const [name, child] of client.propertiesOf(type.name)) {
      const ours = inside?.properties?.[name];
      note(part, `${type.name}.${name}`, ours !== undefined);
      if (ours) walk(child, ours, part);
    }
  };
  const parameters = queryOf(operation)?.properties ?? {};
  for (const name of call.query) note('parameter', name, name in parameters);
  if (call.body !== undefined)
    walk({ name: call.body, isList: false }, operation.body as unknown as Schema, 'sent field');
  if (call.answer) walk(call.answer, responseSchema(operation) as unknown as Schema, 'returned field');
  return { missing: [...missing.values()], count };
}
