/** What another register has done with an open sale, in one calm sentence. Pure. */
import { printTime } from '../../ui/time.js';
import type { CartLine } from '../core/cart.js';
import type { WireMember, WireSale } from '../core/wire.js';

interface Known {
  readonly deviceId: string | undefined;
  readonly team: readonly Pick<WireMember, 'id' | 'first_name'>[];
  readonly timezone: string | undefined;
}

const STATES = { COMPLETED: 'was paid', CANCELED: 'was canceled', OPEN: 'was changed' } as const;

/** `Table 2 was paid on Front register by Ada at 10:04 AM.` `label` is how the sale was called here. */
export function elsewhereWords(sale: WireSale | undefined, label: string | undefined, known: Known): string {
  const name = sale?.label ?? label ?? 'This sale';
  if (!sale) return `${name} is not among the sales of this location any more.`;
  return `${[name, STATES[sale.state], ...actWords(sale, known)].join(' ')}.`;
}

function actWords({ last_act: act }: WireSale, { deviceId, team, timezone }: Known): readonly string[] {
  if (!act) return [];
  const person = team.find(({ id }) => id === act.employee_id);
  const where = act.device_id === deviceId ? 'here' : `on ${act.device_name}`;
  return [where, ...(person ? [`by ${person.first_name}`] : []), `at ${printTime(act.at, 'time', timezone)}`];
}

/** `Still in the cart, because it was added here: Espresso, 2 × Flat white.` */
export function addedWords(lines: readonly CartLine[]): string {
  const names = lines.map(({ name, quantity }) => (quantity === '1' ? name : `${quantity} × ${name}`));
  return `Still in the cart, because it was added here: ${names.join(', ')}.`;
}
