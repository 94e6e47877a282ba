/** The schema can be distributed as src/database/placement.ts says. These rules are checked on plain PostgreSQL (decision 0135). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.js';
import { PLACEMENTS, type Placement } from '../src/database/placement.js';
import { cloneDatabase, type TestDatabase } from './support/server.js';

let clone: TestDatabase;
let database: Database;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase(clone.url, { maxConnections: 1, hasLongTimeouts: true });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

type Placements = Readonly<Record<string, Placement>>;
type Rule = (placements: Placements) => Promise<string[]>;

/** The column by which the rows of a table are distributed. */
function columnOf(placement: Placement | undefined): string | undefined {
  if (placement === 'merchant') return 'merchant_id';
  return typeof placement === 'object' ? placement.column : undefined;
}

async function listTables(): Promise<string[]> {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;
  return rows.map(({ name }) => name);
}

interface ForeignKey {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly columns: readonly string[];
  readonly targets: readonly string[];
  readonly onDelete: string;
}

/** Foreign keys, with the columns in pairs. */
async function listForeignKeys(): Promise<readonly ForeignKey[]> {
  return database.sql<ForeignKey[]>`
    select
      c.conname as name, c.conrelid::regclass::text as from, c.confrelid::regclass::text as to, c.confdeltype::text as on_delete,
      array(select attname::text from unnest(c.conkey) with ordinality as k (n, place)
        join pg_attribute on attrelid = c.conrelid and attnum = n order by place) as columns,
      array(select attname::text from unnest(c.confkey) with ordinality as k (n, place)
        join pg_attribute on attrelid = c.confrelid and attnum = n order by place) as targets
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace`;
}

function canBePlaced(key: ForeignKey, placements: Placements): boolean {
  const [from, to] = [placements[key.from], placements[key.to]];
  if (to === 'reference') return from !== 'local';
  if (from === 'local' && to === 'local') return true;
  const clearsColumn = ['n', 'd'].includes(key.onDelete); // on delete set null, set default
  return from === 'merchant' && to === 'merchant' && !clearsColumn
    ? key.columns.some((column, index) => column === 'merchant_id' && key.targets[index] === 'merchant_id')
    : false;
}

const RULES: Readonly<
  Record<
    string,
    {
      readonly rule: Rule;
      readonly breach: string;
      readonly expectedBreaches: string;
      readonly placements?: Placements;
    }
  >
> = {
  'every table has a place': {
    rule: async (placements) => (await listTables()).filter((table) => !(table in placements)),
    breach: 'create table notes (merchant_id text primary key)',
    expectedBreaches: 'notes',
    placements: {},
  },

  'every place is that of a table': {
    rule: async (placements) => {
      const tables = await listTables();
      return Object.keys(placements).filter((table) => !tables.includes(table));
    },
    breach: 'drop table holds',
    expectedBreaches: 'holds',
    placements: {},
  },

  'every key and unique index contains the column by which its table is distributed': {
    rule: async (placements) => {
      const unique = await database.sql<{ table: string; name: string; columns: string[] }[]>`
        select
          i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name,
          array(select attname::text from pg_attribute where attrelid = i.indrelid and attnum = any (i.indkey)) as columns
        from pg_index i
        join pg_class c on c.oid = i.indrelid
        where i.indisunique and c.relnamespace = current_schema()::regnamespace`;
      return unique.flatMap(({ table, name, columns }) => {
        const column = columnOf(placements[table]);
        return column === undefined || columns.includes(column) ? [] : [name];
      });
    },
    breach: 'create unique index holds_amount on holds (amount)',
    expectedBreaches: 'holds_amount',
  },

  'every distributed table has a key': {
    rule: async (placements) => {
      const keyed = await database.sql<{ table: string }[]>`
        select conrelid::regclass::text as table from pg_constraint where contype = 'p'`;
      const names = keyed.map(({ table }) => table);
      return Object.keys(placements).filter((table) => columnOf(placements[table]) && !names.includes(table));
    },
    breach: 'create table notes (merchant_id text not null)',
    expectedBreaches: 'notes',
  },

  'the column by which a table is distributed is never null': {
    rule: async (placements) => {
      const nullable = await database.sql<{ table: string; column: string }[]>`
        select attrelid::regclass::text as table, attname::text as column from pg_attribute where not attnotnull and attnum > 0`;
      return nullable
        .filter(({ table, column }) => columnOf(placements[table]) === column)
        .map(({ table, column }) => `${table}.${column}`);
    },
    breach: 'create table notes (merchant_id text unique)',
    expectedBreaches: 'notes.merchant_id',
  },

  'every foreign key can be placed': {
    rule: async (placements) =>
      (await listForeignKeys()).filter((key) => !canBePlaced(key, placements)).map(({ name }) => name),
    breach: `
      create table notes (merchant_id text primary key, mode boolean constraint notes_mode references database_mode);
      create unique index locations_name on locations (name);
      alter table notes add location text constraint notes_location references locations (name);
      alter table applications add constraint applications_merchant foreign key (merchant_id) references merchants;
      alter table notes add constraint notes_merchant foreign key (merchant_id) references merchants on delete set null`,
    expectedBreaches: 'applications_merchant notes_location notes_merchant notes_mode',
  },

  'the list is in the order of the foreign keys': {
    rule: async (placements) => {
      const order = Object.keys(placements);
      return (await listForeignKeys())
        .filter(({ from, to }) => placements[to] !== 'local' && order.indexOf(from) < order.indexOf(to))
        .map(({ name }) => name);
    },
    breach: `
      create table notes (merchant_id text primary key);
      alter table holds add constraint holds_note foreign key (merchant_id) references notes`,
    expectedBreaches: 'holds_note',
  },

  'no number is counted by the database, because every node would count by itself': {
    rule: async () => {
      const counted = await database.sql<{ column: string }[]>`
        select attrelid::regclass::text || '.' || attname as column
        from pg_attribute
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attnum > 0 and (attidentity <> '' or pg_get_expr(adbin, adrelid) like 'nextval(%')
          and attrelid in (select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace)`;
      return counted.map(({ column }) => column);
    },
    breach:
      'create table notes (merchant_id text primary key, number bigint generated always as identity, other bigserial)',
    expectedBreaches: 'notes.number notes.other',
  },

  'a row that is inserted column by column has all columns': {
    rule: async () => {
      const functions = await database.sql<{ name: string; table: string; listed: string }[]>`
        select proname as name, given[1] as table, given[2] as listed
        from pg_proc, regexp_matches(prosrc, 'insert into (\\w+) \\(([^)]*)\\)\\s+values', 'g') as given
        where proname like 'insert\\_all\\_%'`;
      const columns = await database.sql<{ table: string; names: string[] }[]>`
        select attrelid::regclass::text as table, array_agg(attname::text order by attname::text) as names
        from pg_attribute
        where attnum > 0 and not attisdropped
        group by attrelid`;
      const namesOf = new Map(columns.map(({ table, names }) => [table, names.join()]));
      expect(functions.map(({ name }) => name).sort()).toEqual(['insert_all_movements', 'insert_all_payments']);
      return functions
        .filter(({ table, listed }) => listed.split(', ').sort().join() !== namesOf.get(table))
        .map(({ name }) => name);
    },
    breach: 'alter table payments add note text',
    expectedBreaches: 'insert_all_payments',
  },

  'no table has a trigger': {
    rule: async () => {
      const triggers = await database.sql<
        { name: string }[]
      >`select tgname as name from pg_trigger where not tgisinternal`;
      return triggers.map(({ name }) => name);
    },
    breach: `
      create function f() returns trigger language plpgsql as 'begin return new; end';
      create trigger holds_changed before insert on holds for each row execute function f()`,
    expectedBreaches: 'holds_changed',
  },
};

describe.each(Object.entries(RULES))('%s', (_, { rule, breach, expectedBreaches, placements }) => {
  it('holds in the schema', async () => {
    expect(await rule(PLACEMENTS)).toEqual([]);
  });

  it('finds a breach', async () => {
    const planted = placements ?? { notes: 'merchant' as const };
    let found: string[] = [];
    // One connection, so the rule sees the breach.
    await database.sql.unsafe('begin');
    try {
      await database.sql.unsafe(breach);
      found = await rule({ ...PLACEMENTS, ...planted });
    } finally {
      await database.sql.unsafe('rollback');
    }
    expect(found.sort().join(' ')).toBe(expectedBreaches);
  });
});
