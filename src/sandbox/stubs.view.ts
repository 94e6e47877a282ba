/** The format of stubs in responses of the sandbox. */
import { about, model, optional, present, type Static, Type } from '../api/wire.js';
import type { StubDefinition } from './stub-definition.js';
import type { Stub } from './stub-queries.js';

/** Members of these have any names. */
const Members = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true });

export const StubModel = model('Stub', {
  id: about('The id of the stub. The header Tillhouse-Stub of a response shows which stub has made it.', Type.String()),
  merchant_id: about(
    'Only requests of this merchant. Absent: of all, and those without a merchant.',
    optional(Type.String()),
  ),
  source: about('The file that it is from. Absent if it was added while the server ran.', optional(Type.String())),
  used: about('How many requests it has answered.', Type.Integer()),
  name: about('A name for people.', optional(Type.String())),
  request: about('Which requests it answers: `method`, `path`, `query`, `headers`, `body`, `members`.', Members),
  response: about('The response: `status`, `headers`, `body`, `delay_ms`, `template`.', optional(Members)),
  responses: about('Responses one after the other, instead of `response`.', optional(Type.Array(Members))),
  times: about('How many requests it answers. Absent: all.', optional(Type.Integer())),
  priority: about('The highest is asked first. Absent: 0.', optional(Type.Integer())),
});

export const NewStub = Type.Object({
  stub: about(
    'The stub, as the guide on stubs describes it. `merchant_id`: only for this merchant.',
    Type.Unsafe<StubDefinition & { readonly merchant_id?: unknown }>({ type: 'object', additionalProperties: true }),
  ),
});

export function toStub({ id, merchantId, source, definition, used }: Stub): Static<typeof StubModel> {
  return {
    ...{ id, ...present({ merchant_id: merchantId, source }), used },
    ...(definition as unknown as Pick<Static<typeof StubModel>, 'request'>),
  };
}
