/** The operations of the dashboard on one kind of record that items share: creating, replacing and deleting it. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { about, Nothing, type Schema, type Static, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { ObjectSchema } from '../../base/schema.js';
import type { Sql } from '../../database/database.js';
import type { TableOf } from '../../database/table.js';
import { addRecord, newRecord, nextVersion, removeRecord, replaceRecord, requireSeen } from './actions.js';
import { SEEN } from './edits.view.js';
import type { CatalogueRecord } from './model.js';

export const CATALOGUE = '/api/dashboard/catalogue';

interface Part<
  Title extends string,
  Path extends string,
  Member extends string,
  Fields extends Readonly<Record<string, Schema>>,
  View extends Schema,
  Kind extends CatalogueRecord,
> {
  /** In the names of the operations. */
  readonly title: Title;
  /** After the path of the catalogue. */
  readonly path: Path;
  /** The name of the record in responses, and that of its id in paths. */
  readonly member: Member;
  readonly summaries: { readonly create: string; readonly replace: string; readonly delete: string };
  readonly table: TableOf<Kind>;
  readonly body: ObjectSchema<Fields>;
  readonly view: View;
  readonly examples: {
    readonly create: Static<ObjectSchema<Fields>>;
    readonly replace: Static<ObjectSchema<Fields>>;
  };
  /** Finds the record if its parts keep their ids when it is replaced. */
  readonly find?: (sql: Sql, merchantId: string, id: string) => Promise<Kind | undefined>;
  readonly read: (
    body: Static<ObjectSchema<Fields>>,
    replaced: Kind | Pick<Kind, 'id' | 'version'>,
    context: OwnerContext,
  ) => Kind;
  readonly show: (record: Kind, currency: string) => Static<View>;
}

export function partOperations<
  const Title extends string,
  const Path extends string,
  const Member extends string,
  Fields extends Readonly<Record<string, Schema>>,
  View extends Schema,
  Kind extends CatalogueRecord,
>(part: Part<Title, Path, Member, Fields, View, Kind>) {
  const { title, member, summaries, table, body, examples, read } = part;
  const path = `${CATALOGUE}/${part.path}` as const;
  const pathOfOne = `${path}/{${member}_id}` as const;
  const what = member.replaceAll('_', ' ');
  type Response = Schema<{ readonly [Name in Member]: Static<View> }>;
  const response = Type.Object({ [member]: about(`The ${what} after the change.`, part.view) }) as never as Response;
  const show = (record: Kind, { merchant }: OwnerContext) =>
    ({ [member]: part.show(record, merchant.currency) }) as Static<Response>;
  const idIn = (params: object) => (params as Readonly<Record<string, string>>)[`${member}_id`] ?? '';

  return [
    operation({
      surface: 'dashboard',
      name: `create${title}` as const,
      method: 'POST',
      path,
      permission: 'OWNER',
      summary: summaries.create,
      body,
      example: { body: examples.create },
      response,
      addsNoWork: true,
      async handle(context, input) {
        const record = read(input.body, newRecord(context), context);
        await context.database.change(context.merchant.id, (change) => addRecord(change, table, record));
        return show(record, context);
      },
    }),

    operation({
      surface: 'dashboard',
      name: `update${title}` as const,
      method: 'PUT',
      path: pathOfOne,
      permission: 'OWNER',
      summary: summaries.replace,
      body: Type.Object({ ...body.properties, ...SEEN }),
      example: { body: { ...examples.replace, version: 1 } as never },
      response,
      addsNoWork: true,
      async handle(context, { params, body: edited }) {
        const { database, merchant } = context;
        const id = idIn(params);
        const { version: seen } = edited as { readonly version: number };
        const known = await part.find?.(database.sql, merchant.id, id);
        if (part.find && !known) throw notFound(what, id);
        if (known) requireSeen(known, seen);
        const record = read(edited as never, { ...known, ...nextVersion(id, seen) } as Kind, context);
        await database.change(merchant.id, (change) => replaceRecord(change, table, record));
        return show(record, context);
      },
    }),

    operation({
      surface: 'dashboard',
      name: `delete${title}` as const,
      method: 'DELETE',
      path: pathOfOne,
      permission: 'OWNER',
      summary: summaries.delete,
      response: Nothing,
      addsNoWork: true,
      handle: (context, { params }) => removeRecord(context, table, idIn(params)),
    }),
  ] as const;
}
