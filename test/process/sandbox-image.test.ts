/** What the image of a sandbox does when it is built and when a container starts, without a container: with its environment and its commands. */
import { expect, it } from 'vitest';
import { assignments, readStage } from '../support/containerfile.js';
import { callApi } from '../support/http.js';
import { freePort } from '../support/ports.js';
import { newDataDir, Program, Server } from '../support/process.js';

const KEY = 'only-for-tests-8Hk2mWq5Zr7Tx9Bv3Nc6';

it('prepares its database once, and then serves new merchants to whoever has the key', async () => {
  const stage = await readStage('sandbox');
  const dataDir = await newDataDir();
  const image = { ...assignments(stage), TILLHOUSE_DATA_DIR: dataDir, PORT: String(await freePort()) };
  const [, prepare = '[]'] = /^RUN (\["tillhouse".*\])$/m.exec(stage) ?? [];
  const [, serve = '[]'] = /^CMD (\[.*\])$/m.exec(stage) ?? [];
  const prepared = await Program.start((JSON.parse(prepare) as string[]).slice(1), { env: image });
  expect(await prepared.exited, prepared.stderr).toEqual({ code: 0, signal: null });

  const env = { ...image, TILLHOUSE_OPERATOR_KEY: KEY };
  const server = await Server.ready(await Program.start(JSON.parse(serve), { env }), dataDir);
  const baseUrl = `http://127.0.0.1:${image.PORT}`;
  expect((await callApi(baseUrl, 'GET', '/readyz')).status).toBe(200);
  const made = await callApi(baseUrl, 'POST', '/api/sandbox/merchants', { token: KEY, body: {} });
  const listed = await callApi(baseUrl, 'GET', '/v2/locations', { token: made.body.access_token });
  expect([made.status, listed.status, listed.body.locations.length]).toEqual([200, 200, 1]);
  expect((await callApi(baseUrl, 'POST', '/api/sandbox/merchants', { token: 'other', body: {} })).status).toBe(401);
  await server.stop();
});
