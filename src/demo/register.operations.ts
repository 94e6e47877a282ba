/** Tells a register that is not paired whether it may use the register of the demo business (decision 0154). */
import { operation } from '../api/operation.js';
import { about, Bool, Type } from '../api/wire.js';

export const registerDemoOperations = [
  operation({
    surface: 'register',
    name: 'showDemoDevice',
    method: 'GET',
    path: '/api/register/demo-device',
    permission: 'ANYONE',
    summary: 'Says whether this browser may use the register of the demo business without pairing.',
    response: Type.Object({ available: about('Whether this browser may use the register without pairing.', Bool) }),
    async handle({ demo, visitor }) {
      return { available: demo?.isOnlyLocal === true && demo.register !== undefined && visitor.isLocal };
    },
  }),
];
