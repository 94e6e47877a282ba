/** The items of online stores move into the catalogue, and keep the ids that past orders name (decision 0144). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseRate, type Rate } from '../src/base/decimal.js';
import { findCatalogue } from '../src/business/catalogue/queries.js';
import { lineIds } from '../src/business/receipts/line-ids.js';
import { type Database, openDatabase } from '../src/database/database.js';
import { migrate } from '../src/database/migrate.js';
import { migrateUntil } from './support/migrations.js';
import { cloneDatabase, type TestDatabase } from './support/server.js';

let clone: TestDatabase;
let database: Database;

beforeAll(async () => {
  clone = await cloneDatabase({ empty: true });
  database = openDatabase(clone.url, { maxConnections: 2, hasLongTimeouts: true });
  await migrateUntil(database, '-catalogue.sql');
  // Constraints of other tables are of no interest here.
  await database.sql.unsafe('alter table catalogue_items drop constraint catalogue_items_merchant_id_location_id_fkey');
  await database.sql.unsafe(`
    insert into catalogue_items (
      merchant_id, location_id, item_id, name, description, category, sku, price, tax_name, tax_rate, created_at, updated_at
    )
    values
      ('M1', 'L1', 'I1', 'Loaf', 'Of rye', 'Bread', 'RYE', 1000, 'Sales tax', 85000, '2020-01-01Z', '2020-02-01Z'),
      ('M1', 'L1', 'I2', 'Roll', null, 'Bread', null, 250, 'Sales tax', 85000, '2020-01-02Z', '2020-01-02Z'),
      ('M1', 'L2', 'I3', 'Jam', null, null, null, 0, 'Sales tax', 1000000, '2020-01-03Z', '2020-01-03Z'),
      ('M2', 'L9', 'I1', 'Tea', null, 'Bread', 'T-1', 700, null, null, '2020-01-04Z', '2020-01-04Z')`);
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const taxId = (rate: string) =>
  lineIds('M1').ofTax({ name: 'Sales tax', rate: parseRate(rate) as Rate, inclusion: 'ADDITIVE' });

it('each store item becomes a catalogue item with one variation, sold online at its location', async () => {
  const { items, categories, taxes, version } = await findCatalogue(database.sql, 'M1');
  const [bread] = categories;
  expect([version, categories]).toEqual([1, [{ id: expect.any(String), name: 'Bread', version: 1 }]]);
  expect(taxes).toMatchObject([
    { id: expect.any(String), name: 'Sales tax', inclusion: 'ADDITIVE', locationIds: null, appliesToAll: false },
    { name: 'Sales tax' },
  ]);
  expect(new Set(taxes.map(({ id }) => id))).toEqual(new Set([taxId('0.085'), taxId('1')]));
  const regular = (id: string) => lineIds('M1').ofVariation(id, 'Regular');
  expect(items).toMatchObject([
    {
      id: 'I3',
      name: 'Jam',
      categoryId: null,
      locationIds: ['L2'],
      variations: [{ id: regular('I3'), name: 'Regular', price: 0 }],
      taxIds: [taxId('1')],
    },
    {
      id: 'I1',
      name: 'Loaf',
      description: 'Of rye',
      categoryId: bread?.id,
      pictureId: null,
      locationIds: ['L1'],
      online: true,
      archived: false,
      variations: [{ id: regular('I1'), name: 'Regular', sku: 'RYE', price: 1000 }],
      modifierListIds: [],
      taxIds: [taxId('0.085')],
      version: 1,
      createdAt: Date.parse('2020-01-01Z'),
      updatedAt: Date.parse('2020-02-01Z'),
    },
    { id: 'I2', name: 'Roll', categoryId: bread?.id, taxIds: [taxId('0.085')] },
  ]);
});

it('items of different merchants are not mixed', async () => {
  const { items, categories, taxes } = await findCatalogue(database.sql, 'M2');
  expect([items.map(({ name }) => name), taxes]).toEqual([['Tea'], []]);
  expect(items[0]?.categoryId).toBe(categories[0]?.id);
});

it('the old table is gone', async () => {
  const [{ table } = { table: 'unknown' }] = await database.sql<{ table: string | null }[]>`
    select to_regclass('catalogue_items')::text as table`;
  expect(table).toBeNull();
});
