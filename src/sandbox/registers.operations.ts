/** Sandbox operations on registers: open one with a signed-in employee, change the register settings. */
import { operation } from '../api/operation.js';
import { about, optional, Type, text } from '../api/wire.js';
import { setRegisterSettings } from '../business/merchants/actions.js';
import { DiscountSettings } from '../business/merchants/register-settings.view.js';
import { openRegister } from './open-register.js';

export const sandboxRegisterOperations = [
  operation({
    surface: 'sandbox',
    name: 'updateRegisterSettings',
    method: 'PUT',
    path: '/api/sandbox/merchants/{merchant_id}/register-settings',
    permission: 'OPERATOR',
    summary: 'Sets whether discounts at the registers of a merchant require REGISTER_APPLY_RESTRICTED_DISCOUNTS.',
    body: DiscountSettings,
    example: { body: { restrict_discounts: true } },
    response: DiscountSettings,
    async handle(context, { params: { merchant_id }, body: { restrict_discounts } }) {
      await setRegisterSettings(context, merchant_id, { restrictsDiscounts: restrict_discounts });
      return { restrict_discounts };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'openRegister',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/registers',
    permission: 'OPERATOR',
    summary: 'Pairs a register and signs in a new employee who has all permissions.',
    body: Type.Object({
      location_id: about(
        'Where the register stands. Default: the first location.',
        optional(text(64, { minLength: 1 })),
      ),
      name: about('The name of the register. Default: `Register`.', optional(text(255, { minLength: 1 }))),
      passcode: about(
        'The passcode of the new employee, for `register.signIn`. Default: none, so only the session works.',
        optional(Type.String({ pattern: '^[0-9]{4,12}$', maxLength: 12 })),
      ),
    }),
    example: { body: { name: 'Counter' } },
    response: Type.Object({
      device_id: about('The id of the paired device.', Type.String()),
      device_token: about(
        'The token of the device. It authorizes calls of the register surface. Shown only here.',
        Type.String(),
      ),
      employee_id: about('The new employee, who has all permissions.', Type.String()),
      session: about(
        'The session of the employee, for the header Tillhouse-Employee-Session. Shown only here.',
        Type.String(),
      ),
    }),
    handle: (context, { params: { merchant_id }, body }) => openRegister(context, merchant_id, body),
  }),
];
