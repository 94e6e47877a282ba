/** Every operation of the operator that changes something leaves an event in the audit log (decision 0120). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replaceSamples } from '../../../src/api/example-ids.js';
import { fullName } from '../../../src/api/operation.js';
import { operations } from '../../../src/operations.js';
import { requestOf } from '../../docs/example-request.js';
import { type ExampleShop, openExampleShop, prepare, recordsOf } from '../../docs/example-shop.js';
import { SAMPLE_RECEIVER } from '../../docs/trial.js';
import { Receiver } from '../../support/receiver.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../../support/server.js';

const TEST_CONDITION = 'says what happens to requests of a test, and changes no record; the log of requests has it';
const OWN_TOOL = 'is about the tools of a developer, which are in memory only';

const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  'sandbox.addFault': TEST_CONDITION,
  'sandbox.clearFaults': TEST_CONDITION,
  'sandbox.removeFault': TEST_CONDITION,
  'sandbox.addStub': TEST_CONDITION,
  'sandbox.removeStub': TEST_CONDITION,
  'sandbox.resetStubs': TEST_CONDITION,
  'sandbox.addProcessorRule': TEST_CONDITION,
  'sandbox.clearProcessorRules': TEST_CONDITION,
  'sandbox.removeProcessorRule': TEST_CONDITION,
  'sandbox.openReceiver': OWN_TOOL,
  'sandbox.checkSignature': OWN_TOOL,
  'sandbox.clearRequests': OWN_TOOL,
  'sandbox.resendRequest': 'makes a request again, which leaves the events of its own operation',
};

const acts = operations.filter(({ permission, method }) => permission === 'OPERATOR' && (method as string) !== 'GET');

let server: TestServer;
let receiver: Receiver;
let shop: ExampleShop;

beforeAll(async () => {
  [server, receiver] = await Promise.all([startTestServer(), Receiver.open()]);
  shop = await openExampleShop(server);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

async function listKinds(): Promise<string[]> {
  const rows = await server.database.sql<
    { kind: string }[]
  >`select kind from audit_events where kind <> 'ACCESS_REFUSED'`;
  return rows.map(({ kind }) => kind);
}

describe('an act of the operator leaves an event', () => {
  it.each(acts.filter((each) => !(fullName(each) in WITHOUT_EVENT)).map((each) => [fullName(each), each] as const))(
    '%s',
    async (name, operation) => {
      const { path, body } = requestOf(operation);
      const { samples, credentials } = await prepare(name, shop, { server, receiverUrl: receiver.url });
      const used = { ...recordsOf(shop), [SAMPLE_RECEIVER]: receiver.url, ...samples };
      const before = await listKinds();
      const answer = await server.call(operation.method, replaceSamples(path, used), {
        token: OPERATOR_KEY,
        ...credentials,
        ...(body !== undefined && { body: JSON.parse(replaceSamples(JSON.stringify(body), used)) }),
      });
      expect(answer.status, answer.text).toBe(200);
      expect((await listKinds()).length).toBeGreaterThan(before.length);
    },
  );

  it('or has a reason why it does not need one', () => {
    const names = acts.map(fullName);
    expect(Object.keys(WITHOUT_EVENT).filter((name) => !names.includes(name))).toEqual([]);
  });
});
