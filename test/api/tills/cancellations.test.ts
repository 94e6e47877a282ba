/** An open sale that is canceled gives its money back: who may not issue refunds is flagged for the owner (decision 0228). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { hire, pairDevice, type Register, signInAt } from '../../support/people.js';
import { cash, SALES, sell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;
let cashier: Register;
let manager: Register;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
  const device = await pairDevice(server, owner);
  cashier = await signInAt(device, (await hire(server, owner)).id);
  const role = { permissions: ['REGISTER_ISSUE_REFUNDS'] };
  manager = await signInAt(device, (await hire(server, owner, { role })).id);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

async function cancel(register: Register, tenders: unknown[], body = {}): Promise<string> {
  const { id } = await sell(cashier, { tenders });
  const answer = await register.write(`${SALES}/${id}/cancel`, body);
  expect(answer.body.sale, answer.text).toMatchObject({ state: 'CANCELED' });
  return id;
}

const flagged = async () => (await owner.call('GET', '/api/dashboard/flagged-writes')).body.writes;

it('is flagged once if it gives money back and the employee may not issue refunds', async () => {
  const id = await cancel(cashier, [cash(400)], { id: 'void' });
  await cashier.write(`${SALES}/${id}/cancel`, { id: 'void' });
  expect(await flagged()).toMatchObject([
    {
      ...{ operation: 'cancelSale', employee_id: cashier.employeeId },
      flags: [{ code: 'PERMISSION_MISSING', detail: expect.stringContaining('may not issue refunds') }],
    },
  ]);
});

it('is not flagged if nothing was paid, or the employee may issue refunds', async () => {
  const before = await flagged();
  await cancel(cashier, []);
  await cancel(manager, [cash(400)]);
  expect(await flagged()).toEqual(before);
});
