/** The catalogue of the dashboard, what registers and stores make of it (decision 0144), and its pictures (decision 0145). */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updatePictureUse } from '../../../src/business/pictures/queries.js';
import { pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expect200, openStore, place, tryToPay, tryToPlace } from '../../support/orders.js';
import { ensureDefined, openRegister } from '../../support/people.js';
import { makeJpegHead, makePng, makeWebpHead } from '../../support/pictures.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the catalogue', () => {
  const CATALOGUE = '/api/dashboard/catalogue';
  const UNKNOWN = '00000000-0000-7000-8000-000000000000';

  type Json = Record<string, unknown>;

  let owner: TestOwner;

  beforeAll(async () => {
    owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
  });

  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const one = (price: number, more: Json = {}) => [{ name: 'Regular', price_money: { amount: price }, ...more }];
  const itemBody = (change: Json = {}): Json => ({ name: 'Loaf', online: false, variations: one(900), ...change });

  const KINDS: readonly (readonly [path: string, name: string, body: Json, change: Json])[] = [
    ['categories', 'category', { name: 'Bread' }, { name: 'Rye bread' }],
    [
      'taxes',
      'tax',
      { name: 'Sales tax', rate: '0.085', inclusion_type: 'ADDITIVE', applies_to_all: true },
      { name: 'VAT', rate: '0.2', inclusion_type: 'INCLUSIVE', applies_to_all: false },
    ],
    [
      'modifier-lists',
      'modifier_list',
      { name: 'Milk', min_selected: 0, max_selected: 1, options: one(50) },
      { name: 'Milks', options: [...one(0), { name: 'Oat', price_money: { amount: 75 } }] },
    ],
    [
      'discounts',
      'discount',
      { name: 'Staff', rate: '0.5', restricted: true },
      { name: 'Two off', amount_money: { amount: 200 }, restricted: false },
    ],
    [
      'items',
      'item',
      itemBody(),
      { name: 'Rye loaf', description: 'Of rye', online: true, variations: one(950, { sku: 'RYE' }) },
    ],
  ];

  async function create(path: string, body: Json, by = owner): Promise<Json & { id: string; version: number }> {
    const { body: answer } = expect200(await by.call('POST', `${CATALOGUE}/${path}`, { body }));
    return ensureDefined(Object.values(answer)[0]) as Json & { id: string; version: number };
  }

  const whole = async (by = owner) => expect200(await by.call('GET', CATALOGUE)).body;

  describe.each(KINDS)('%s', (path, name, body, change) => {
    const list = path.replace('-', '_');

    it('are created, listed, replaced and deleted', async () => {
      const own = await createOwner(server);
      const empty = await whole(own);
      expect(empty).toEqual({ version: 0, categories: [], items: [], modifier_lists: [], discounts: [], taxes: [] });
      const created = await create(path, body, own);
      expect(created).toMatchObject({ name: body['name'], version: 1 });
      expect((await whole(own))[list]).toEqual([created]);
      const replacing = { body: { ...change, version: 1 } };
      const { body: replaced } = expect200(await own.call('PUT', `${CATALOGUE}/${path}/${created.id}`, replacing));
      expect(replaced[name]).toMatchObject({ id: created.id, name: change['name'], version: 2 });
      expect(await whole(own)).toMatchObject({ version: 2, [list]: [replaced[name]] });
      expect200(await own.call('DELETE', `${CATALOGUE}/${path}/${created.id}`));
      expect((await own.call('DELETE', `${CATALOGUE}/${path}/${created.id}`)).status).toBe(404);
      expect((await whole(own))[list]).toEqual([]);
    });

    it('are not replaced by an editor that has seen another version', async () => {
      const { id } = await create(path, { ...body, name: `Seen ${randomUUID()}` });
      const replace = (to: string, version: number) =>
        owner.call('PUT', `${CATALOGUE}/${path}/${id}`, { body: { ...body, name: to, version } });
      const names = [`A ${id}`, `B ${id}`];
      const answers = await Promise.all(names.map((each) => replace(each, 1)));
      const [won, lost] = answers[0]?.status === 200 ? answers : answers.toReversed();
      expect([won?.status, lost?.status, lost?.body.errors[0].field]).toEqual([200, 409, 'version']);
      expect((await replace('Later', 7)).status).toBe(409);
      const [stored] = (await whole())[list].filter((each: Json) => each['id'] === id);
      expect(stored).toEqual(won?.body[name]);
    });

    it('are those of one merchant', async () => {
      const other = await createOwner(server);
      const { id } = await create(path, { ...body, name: `Own ${randomUUID()}` });
      const replacing = { body: { ...body, name: 'Theirs', version: 1 } };
      expect((await other.call('PUT', `${CATALOGUE}/${path}/${id}`, replacing)).status).toBe(404);
      expect((await other.call('DELETE', `${CATALOGUE}/${path}/${id}`)).status).toBe(404);
      expect((await whole(other))[list]).toEqual([]);
    });
  });

  describe('an item', () => {
    it('keeps the ids of its variations, and gives new ones their own', async () => {
      const item = await create('items', itemBody({ variations: [...one(900), ...one(1200, { name: 'Large' })] }));
      const [regular, large] = item['variations'] as { id: string }[];
      const variations = [{ id: large?.id, name: 'Big', price_money: { amount: 1300 } }, ...one(500, { name: 'Half' })];
      const path = `${CATALOGUE}/items/${item.id}`;
      const { body } = expect200(await owner.call('PUT', path, { body: itemBody({ variations, version: 1 }) }));
      expect(body.item.variations).toEqual([
        { id: large?.id, name: 'Big', price_money: usd(1300) },
        { id: expect.any(String), name: 'Half', price_money: usd(500) },
      ]);
      for (const id of [regular?.id, UNKNOWN]) {
        const wrong = itemBody({ variations: one(1, { id }), version: 2 });
        const answer = await owner.call('PUT', path, { body: wrong });
        expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'variations.id']);
      }
      const twice = itemBody({ variations: [...one(1, { id: large?.id }), ...one(1, { id: large?.id })], version: 2 });
      expect((await owner.call('PUT', path, { body: twice })).status).toBe(400);
    });

    it('names only what exists, and loses what is deleted', async () => {
      for (const change of [
        { category_id: UNKNOWN },
        { tax_ids: [UNKNOWN] },
        { modifier_list_ids: [UNKNOWN] },
        { picture_id: UNKNOWN },
        { location_ids: [UNKNOWN] },
      ]) {
        const answer = await owner.call('POST', `${CATALOGUE}/items`, { body: itemBody(change) });
        expect([answer.status, answer.body.errors[0].field]).toEqual([400, Object.keys(change)[0]]);
      }
      const category = await create('categories', { name: 'Gone soon' });
      const tax = await create('taxes', ensureDefined(KINDS[1])[2]);
      const list = await create('modifier-lists', ensureDefined(KINDS[2])[2]);
      const item = await create(
        'items',
        itemBody({ category_id: category.id, tax_ids: [tax.id, tax.id], modifier_list_ids: [list.id] }),
      );
      expect(item).toMatchObject({ category_id: category.id, tax_ids: [tax.id], modifier_list_ids: [list.id] });
      for (const path of [`categories/${category.id}`, `taxes/${tax.id}`, `modifier-lists/${list.id}`]) {
        expect200(await owner.call('DELETE', `${CATALOGUE}/${path}`));
      }
      const [left] = (await whole()).items.filter(({ id }: Json) => id === item.id);
      expect(left).toMatchObject({ version: 4, tax_ids: [], modifier_list_ids: [] });
      expect(left.category_id).toBeUndefined();
    });

    it('shows a picture, which stays while an item uses it', async () => {
      const content = makePng(4, 4, [9, 9, 9]).toString('base64');
      const { picture } = expect200(await owner.call('POST', '/api/dashboard/pictures', { body: { content } })).body;
      const item = await create('items', itemBody({ picture_id: picture.id }));
      expect(item['picture_url']).toBe(picture.url);
      const uses = async () =>
        (await server.database.sql`select from picture_uses where picture_id = ${picture.id}`).length;
      expect(await uses()).toBe(1);
      const without = { body: itemBody({ version: 1 }) };
      expect(
        expect200(await owner.call('PUT', `${CATALOGUE}/items/${item.id}`, without)).body.item.picture_url,
      ).toBeUndefined();
      expect(await uses()).toBe(0);
    });

    it('has a name that is only text', async () => {
      for (const name of ['<script>alert(1)</script>', 'x'.repeat(255), '"; drop table items; --', 'Ünïcødé 🥖']) {
        expect((await create('items', itemBody({ name })))['name']).toBe(name);
      }
    });
  });

  describe('the catalogue', () => {
    it('refuses two categories of one name, a discount with two measures or none, and too many choices', async () => {
      await create('categories', { name: 'Once' });
      const tries = [
        ['categories', { name: 'Once' }, 409],
        ['discounts', { name: 'None', restricted: false }, 400],
        ['discounts', { name: 'Both', rate: '0.1', amount_money: { amount: 1 }, restricted: false }, 400],
        ['modifier-lists', { name: 'Few', min_selected: 2, options: one(0) }, 400],
        ['modifier-lists', { name: 'Few', min_selected: 2, max_selected: 1, options: [...one(0), ...one(1)] }, 400],
      ] as const;
      for (const [path, body, status] of tries) {
        const answer = await owner.call('POST', `${CATALOGUE}/${path}`, { body });
        expect([path, answer.status], answer.text).toEqual([path, status]);
      }
    });

    it('is limited', async () => {
      const own = await createOwner(server);
      const { sql } = server.database;
      await sql`
      insert into items (merchant_id, item_id, name, online, archived, variations, modifier_list_ids, tax_ids, version, created_at, updated_at)
      select ${own.merchant.id}, n::text, 'x', true, false, '[{"id":"v","name":"Regular","price":1}]', '{}', '{}', 1, now(), now()
      from generate_series(1, 999) as n`;
      await create('items', itemBody(), own);
      const full = await own.call('POST', `${CATALOGUE}/items`, { body: itemBody() });
      expect([full.status, full.body.errors[0].detail]).toEqual([400, expect.stringContaining('the maximum number')]);
    });
  });

  describe('a register', () => {
    it('gets what its location sells, and learns cheaply whether something changed', async () => {
      const own = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
      const [first, second] = own.merchant.locationIds;
      const till = await openRegister(server, own);
      const get = async (query = '') => expect200(await till.call('GET', `/api/register/catalogue${query}`)).body;
      expect(await get()).toMatchObject({ version: 0, catalogue: { items: [], discounts: [] } });

      const everywhere = await create(
        'taxes',
        { name: 'All', rate: '0.1', inclusion_type: 'ADDITIVE', applies_to_all: true },
        own,
      );
      const chosen = await create(
        'taxes',
        { name: 'Chosen', rate: '0.2', inclusion_type: 'INCLUSIVE', applies_to_all: false },
        own,
      );
      await create(
        'taxes',
        { name: 'There', rate: '0.3', inclusion_type: 'ADDITIVE', applies_to_all: true, location_ids: [second] },
        own,
      );
      const category = await create('categories', { name: 'Bread' }, own);
      const loaf = await create(
        'items',
        itemBody({ category_id: category.id, tax_ids: [chosen.id], location_ids: [first] }),
        own,
      );
      await create('items', itemBody({ name: 'Elsewhere', location_ids: [second] }), own);
      await create('items', itemBody({ name: 'Archived', archived: true }), own);
      await create('discounts', { name: 'Staff', rate: '0.5', restricted: true }, own);

      const { version, catalogue } = await get();
      expect(catalogue.items).toEqual([
        {
          id: loaf.id,
          name: 'Loaf',
          category_id: category.id,
          variations: loaf['variations'],
          modifier_list_ids: [],
          tax_ids: [everywhere.id, chosen.id],
          version: 1,
        },
      ]);
      expect(catalogue.taxes.map(({ name }: Json) => name)).toEqual(['All', 'Chosen']);
      expect(catalogue.discounts).toMatchObject([{ name: 'Staff', rate: '0.50000000', restricted: true }]);
      expect(await get(`?known_version=${version}`)).toEqual({ version });
      await create('categories', { name: 'More' }, own);
      expect(await get(`?known_version=${version}`)).toMatchObject({
        version: version + 1,
        catalogue: { items: [{}] },
      });
    });
  });

  describe('an online store', () => {
    it('sells variations of the items that are online at its location, with all taxes', async () => {
      const own = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
      const [first, second] = own.merchant.locationIds;
      const store = await openStore(server, own.merchant, { items: [], shipping_money: { amount: 0 } });
      const tax = { rate: '0.1', applies_to_all: true };
      await create('taxes', { ...tax, name: 'Added', inclusion_type: 'ADDITIVE' }, own);
      await create('taxes', { ...tax, name: 'Included', inclusion_type: 'INCLUSIVE' }, own);
      const beans = await create(
        'items',
        itemBody({
          name: 'Beans',
          online: true,
          location_ids: [first],
          variations: [...one(1100), ...one(4400, { name: '1 kg' })],
        }),
        own,
      );
      const hidden = [
        await create('items', itemBody({ name: 'Counter only' }), own),
        await create('items', itemBody({ name: 'There', online: true, location_ids: [second] }), own),
        await create('items', itemBody({ name: 'Old', online: true, archived: true }), own),
      ];
      const { items } = expect200(await store.call('GET', '/api/checkout/catalogue')).body;
      expect(items).toMatchObject([{ id: beans.id, price_money: usd(1100), variations: [{}, { name: '1 kg' }] }]);

      const [small, large] = beans['variations'] as { id: string }[];
      const tryToOrder = (line: Json) => tryToPlace(store, { items: [{ quantity: 1, ...line }] });
      for (const [line, field] of [
        [{ item_id: beans.id }, 'items.variation_id'],
        [{ item_id: beans.id, variation_id: UNKNOWN }, 'items.variation_id'],
        ...hidden.map(({ id }) => [{ item_id: id }, 'items.item_id'] as const),
      ] as const) {
        const answer = await tryToOrder(line);
        expect([answer.status, answer.body.errors[0].field], answer.text).toEqual([400, field]);
      }
      const order = await place(store, { items: [{ item_id: beans.id, variation_id: large?.id, quantity: 1 }] });
      const placed = expect200(await tryToOrder({ item_id: beans.id, variation_id: small?.id })).body.order;
      // 11.00 includes 1.00, and 10 % of 10.00 are added.
      expect(placed).toMatchObject({ total_money: usd(1200) });

      expect200(await own.call('DELETE', `${CATALOGUE}/items/${beans.id}`));
      expect200(await tryToPay(store, order));
      const { token } = own.merchant;
      const { body: payments } = await server.call('GET', `/v1/${first}/payments`, { token });
      expect(payments[0].itemizations[0]).toMatchObject({
        name: 'Beans',
        item_variation_name: '1 kg',
        item_detail: { item_id: beans.id, item_variation_id: large?.id },
        single_quantity_money: { amount: 4400 },
      });
    });
  });
});

describe('the pictures of the catalogue', () => {
  const PICTURES = '/api/dashboard/pictures';

  let owner: TestOwner;

  beforeAll(async () => {
    owner = await createOwner(server);
  });

  const tryToUpload = (content: Buffer | string, by = owner) =>
    by.call('POST', PICTURES, { body: { content: Buffer.from(content).toString('base64') } });

  async function upload(content: Buffer, by = owner) {
    const answer = await tryToUpload(content, by);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.picture;
  }

  describe('dashboard.uploadPicture', () => {
    it.each([
      ['image/png', makePng(20, 10)],
      ['image/jpeg', makeJpegHead(20, 10)],
      ['image/webp', makeWebpHead('VP8 ', 20, 10)],
      ['image/webp', makeWebpHead('VP8L', 20, 10)],
      ['image/webp', makeWebpHead('VP8X', 20, 10)],
    ])('reads type and size of %s from its content', async (content_type, content) => {
      const picture = await upload(content);
      expect(picture).toMatchObject({ content_type, width: 20, height: 10 });
      expect(picture.url).toBe(`/pictures/${owner.merchant.id}/${picture.id}`);
    });

    it('stores the same picture once for each merchant', async () => {
      const other = await createOwner(server);
      const content = makePng(3, 3, [1, 2, 3]);
      const [one, again, theirs] = [await upload(content), await upload(content), await upload(content, other)];
      expect(again).toEqual(one);
      expect([theirs.id, theirs.url === one.url]).toEqual([one.id, false]);
    });

    it.each([
      ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
      ['HTML', '<!doctype html><script>alert(1)</script>'],
      ['a GIF', 'GIF89a\x01\x00\x01\x00'],
      ['the signature of a PNG alone', makePng(1, 1).subarray(0, 8)],
      ['a PNG without pixels', makePng(0, 5)],
      ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 2, 0xff, 0xd9, 0, 0, 0, 0])],
      [
        'a JPEG whose segments lead nowhere',
        Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), Buffer.alloc(20)]),
      ],
      [
        'an unknown kind of WebP',
        Buffer.from(makeWebpHead('VP8X', 2, 2).toString('latin1').replace('VP8X', 'JUNK'), 'latin1'),
      ],
      ['a PNG of too many pixels', makePng(4097, 1)],
      ['a file that is too large', Buffer.concat([makePng(2, 2), Buffer.alloc(750_000)])],
    ])('refuses %s', async (_, content) => {
      const answer = await tryToUpload(content);
      expect([answer.status, answer.body.errors[0].field], answer.text).toEqual([400, 'content']);
    });

    it('refuses text that is not base64', async () => {
      const answer = await owner.call('POST', PICTURES, { body: { content: '<<<>>>' } });
      expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'INVALID_VALUE']);
    });
  });

  describe('GET /pictures/{merchant_id}/{picture_id}', () => {
    it('delivers the bytes to anybody, with their type, and caches may keep them forever', async () => {
      const content = makePng(7, 5);
      const { url } = await upload(content);
      const response = await fetch(server.baseUrl + url);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(response.headers.get('set-cookie')).toBeNull();
    });

    it('returns 404 for unknown and malformed addresses, which caches do not keep', async () => {
      const other = await createOwner(server);
      const { id, url } = await upload(makePng(9, 9));
      const wrong = [`${url}x`, `/pictures/${other.merchant.id}/${id}`, `/pictures/x/${id}`, `/pictures/%00/${id}`];
      for (const path of [...wrong, `${url}/x`, `/pictures/${'x'.repeat(300)}/${id}`, '/pictures/a/%2e%2e']) {
        const response = await fetch(server.baseUrl + path);
        expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 404, 'no-store']);
      }
    });
  });

  describe('retention', () => {
    it('deletes pictures that nothing has used for a day, and only those', async () => {
      const { sql } = server.database;
      const { id: merchantId } = owner.merchant;
      const [used, unused, recent] = [
        await upload(makePng(1, 1)),
        await upload(makePng(1, 2)),
        await upload(makePng(1, 3)),
      ];
      const use = (id: string | null) =>
        server.database.statement((tx) => updatePictureUse(tx, merchantId, 'test:1', id));
      await use(unused.id);
      await use(null);
      await use(recent.id);
      await use(used.id);
      await sql`
      update pictures set uploaded_at = now() - interval '25 hours'
      where merchant_id = ${merchantId} and picture_id in (${used.id}, ${unused.id})`;
      const another = await startTestServer({ databaseUrl: server.databaseUrl });
      const stored = async () =>
        (await sql<{ pictureId: string }[]>`select picture_id from pictures where merchant_id = ${merchantId}`).map(
          ({ pictureId }) => pictureId,
        );
      const left = await pollUntil(stored, (ids) => !ids.includes(unused.id), 10_000);
      await another.stop();
      expect(left).toEqual(expect.arrayContaining([used.id, recent.id]));
    });
  });
});
