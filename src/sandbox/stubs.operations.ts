/** Sandbox operations on stubs (decision 0267). */
import { LARGEST_BODY_BYTES } from '../api/body-limits.js';
import { operation } from '../api/operation.js';
import { SAMPLE_IDS } from '../api/sample-ids.js';
import { about, Nothing, optional, Type, text } from '../api/wire.js';
import { Refusal } from '../base/errors.js';
import { addStub, removeStub, resetStubs } from './stub-actions.js';
import { checkStub } from './stub-check.js';
import { listStubs } from './stub-queries.js';
import { inOrder } from './stubs.js';
import { NewStub, StubModel, toStub } from './stubs.view.js';

const PATH = '/api/sandbox/stubs';

const StubScope = Type.Object({
  merchant_id: about('Only stubs of this merchant.', optional(text(64, { minLength: 1 }))),
});

function readMerchantId(given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'string' && given !== '' && given.length <= 64) return given;
  throw new Refusal('EXPECTED_STRING', { field: 'merchant_id', detail: 'merchant_id must be the id of a merchant.' });
}

export const sandboxStubOperations = [
  operation({
    surface: 'sandbox',
    name: 'addStub',
    method: 'POST',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Adds a stub: the server answers matching requests as it says.',
    body: NewStub,
    maxBodyBytes: LARGEST_BODY_BYTES,
    example: {
      body: {
        stub: {
          merchant_id: SAMPLE_IDS.merchant_id,
          request: { method: 'POST', path: '/v2/customers', body: { given_name: 'Amelia' } },
          response: { body: { customer: { id: 'CUSTOMER-1', given_name: '{{request.body.given_name}}' } } },
        },
      },
    },
    response: Type.Object({ stub: about('The stub, which answers from now on.', StubModel) }),
    async handle(context, { body }) {
      const { merchant_id, ...rest } = body.stub;
      const merchantId = readMerchantId(merchant_id);
      return { stub: toStub(await addStub(context, { definition: checkStub(rest), merchantId })) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listStubs',
    method: 'GET',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Lists the stubs of one merchant or all, in the order in which they are asked. Used-up ones are included.',
    query: StubScope,
    response: Type.Object({ stubs: about('The stubs.', Type.Array(StubModel)) }),
    async handle({ database }, { query: { merchant_id } }) {
      return { stubs: inOrder(await listStubs(database.sql, merchant_id)).map(toStub) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'removeStub',
    method: 'DELETE',
    path: `${PATH}/{stub_id}`,
    permission: 'OPERATOR',
    summary: 'Removes a stub.',
    response: Nothing,
    async handle(context, { params: { stub_id } }) {
      await removeStub(context, stub_id);
      return {};
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'resetStubs',
    method: 'DELETE',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Removes the stubs of one merchant, or all. Those of files stay, and count from zero if all are reset.',
    query: StubScope,
    response: Nothing,
    async handle(context, { query: { merchant_id } }) {
      await resetStubs(context, merchant_id);
      return {};
    },
  }),
];
