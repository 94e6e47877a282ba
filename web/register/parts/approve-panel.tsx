/** Asks for somebody who may do what the attendant may not. The attendant stays signed in. */
import { useState } from 'react';
import type { RegisterPermission } from '../../../src/identity/permissions.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import type { CartApproval } from '../core/cart.js';
import { device } from '../core/device.js';
import { approve, type SaleToApprove, team } from '../core/people.js';
import { Faces } from '../sign-in/faces.js';
import { Passcode } from '../sign-in/passcode.js';
import { Panel } from './panel.js';

interface ApprovePanelProps {
  readonly title: string;
  /** What has to be allowed, in sentences. */
  readonly why?: string;
  readonly permission: RegisterPermission;
  /** The sale, and how much is taken off. */
  readonly sale: SaleToApprove;
  readonly onApproved: (approval: CartApproval) => void;
  readonly onClose: () => void;
}

export function ApprovePanel({ title, why, permission, sale, onApproved, onClose }: ApprovePanelProps) {
  const people = useStore(team).filter(
    ({ permissions, has_passcode }) => has_passcode && permissions.includes(permission),
  );
  const currency = useStore(device)?.business.currency ?? 'USD';
  const [chosen, setChosen] = useState<string>();
  const person = people.find(({ id }) => id === chosen);
  return (
    <Panel title={title} onClose={onClose}>
      {why !== undefined && <p>{why}</p>}
      <p>The approval counts for this sale only, once, and up to {printMoney({ amount: sale.amount, currency })}.</p>
      {person ? (
        <Passcode
          person={person}
          submitLabel="Allow it"
          onSubmit={async (passcode) => onApproved(await approve(person.id, passcode, sale))}
        />
      ) : (
        <>
          <p>{people.length > 0 ? 'Ask one of these people to allow it.' : 'Nobody who works here may allow it.'}</p>
          <Faces people={people.map((each) => ({ ...each, note: each.role_name }))} onPick={setChosen} />
        </>
      )}
    </Panel>
  );
}
