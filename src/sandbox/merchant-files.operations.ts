/** Sandbox operations on merchants as files (decision 0276). */
import { MERCHANT_FILE_BYTES } from '../api/body-limits.js';
import { operation } from '../api/operation.js';
import { about, Bool, model, optional, Time, Type } from '../api/wire.js';
import { exportMerchant, importMerchant } from './merchant-file.js';
import { FILE_FORMAT } from './merchant-file-check.js';
import { NewSandboxOwner, SandboxMerchant, toSandboxMerchant } from './view.js';

/** Their members are described in docs/merchant-files.md. */
const Members = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true });
const Records = Type.Unsafe<Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>>({
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: true } },
});

const MerchantFileModel = model('MerchantFile', {
  tillhouse_merchant: about('The version of the format.', Type.Integer()),
  merchant: about('The name of the business, its country, currency and so on.', Members),
  clock: about(
    "The merchant's clock.",
    model('MerchantFileClock', {
      now: about("The merchant's business time.", Time),
      frozen: about('Whether the time stands still.', Bool),
    }),
  ),
  records: about('Lists of records by their kind, such as `locations` and `payments`.', Records),
});

export const sandboxMerchantFileOperations = [
  operation({
    surface: 'sandbox',
    name: 'exportMerchant',
    method: 'GET',
    path: '/api/sandbox/merchants/{merchant_id}/file',
    permission: 'OPERATOR',
    summary: 'Returns all records of a merchant as one document, from which a merchant can be created.',
    response: Type.Object({ file: about('The merchant as a file.', MerchantFileModel) }),
    async handle(context, { params: { merchant_id } }) {
      return { file: await exportMerchant(context, merchant_id) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'importMerchant',
    method: 'POST',
    path: '/api/sandbox/merchant-files',
    permission: 'OPERATOR',
    summary: 'Creates a merchant from a file, with the same records under the same ids, and an access token.',
    body: Type.Object({
      file: about('The file, as `exportMerchant` returns it.', Members),
      owner: about('An account that can sign in to the dashboard. Default: none.', optional(NewSandboxOwner)),
    }),
    maxBodyBytes: MERCHANT_FILE_BYTES,
    example: {
      body: {
        file: {
          tillhouse_merchant: FILE_FORMAT,
          merchant: { business_name: 'Corner shop', currency: 'USD' },
          clock: { now: '2026-02-26T10:15:30.000Z', frozen: true },
          records: {
            locations: [
              {
                ...{ location_id: 'LCORNERSHOP01', name: 'Main street', timezone: 'America/New_York' },
                ...{
                  status: 'ACTIVE',
                  type: 'PHYSICAL',
                  profile: {},
                  created_at: '2026-02-26T10:15:30.000Z',
                  ordinal: 0,
                },
              },
            ],
          },
        },
      },
    },
    response: Type.Object({
      merchant: about('The new merchant.', SandboxMerchant),
      access_token: about('An access token with all permissions. Shown only here.', Type.String()),
    }),
    async handle(context, { body: { file, owner } }) {
      const created = await importMerchant(context, file, owner);
      return { merchant: toSandboxMerchant(created), access_token: created.accessToken };
    },
  }),
];
