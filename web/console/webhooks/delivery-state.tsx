/** The state of a delivery in words. */
import { Tag, type Tone } from '../../ui/tag.js';

type State = 'WAITING' | 'DELIVERED' | 'GIVEN_UP';

export const DELIVERY_STATES: Readonly<Record<State, { readonly label: string; readonly tone: Tone }>> = {
  WAITING: { label: 'Waiting', tone: 'warning' },
  DELIVERED: { label: 'Delivered', tone: 'good' },
  GIVEN_UP: { label: 'Given up', tone: 'bad' },
};

export function DeliveryState({ state }: { readonly state: State }) {
  return <Tag tone={DELIVERY_STATES[state].tone}>{DELIVERY_STATES[state].label}</Tag>;
}
