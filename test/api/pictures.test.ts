/** Pictures: which files are accepted, how they are delivered, and when they are deleted (decision 0145). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updatePictureUse } from '../../src/business/pictures/queries.js';
import { pollUntil } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { makeJpegHead, makePng, makeWebpHead } from '../support/pictures.js';
import { startTestServer, type TestServer } from '../support/server.js';

const PICTURES = '/api/dashboard/pictures';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
});
afterAll(() => server.stop());

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
