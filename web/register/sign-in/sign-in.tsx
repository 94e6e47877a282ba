/** The sign-in: a tap on a face, then the passcode. The person who was here last stands first. */
import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconUsers } from '../../ui/icons.js';
import { Mark } from '../../ui/mark.js';
import { Empty } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';
import { isOnline } from '../core/connection.js';
import { device, isRevoked } from '../core/device.js';
import { canSignInOffline, lastEmployeeId, refreshTeam, signIn, team } from '../core/people.js';
import { demoPasscodeOf } from '../pair/demo.js';
import { BackButton } from '../parts/back-button.js';
import { StatusBar } from '../shell/status-bar.js';
import { type Face, Faces } from './faces.js';
import { Passcode } from './passcode.js';
import { Removed } from './removed.js';
import classes from './sign-in.module.css';

type Member = ReturnType<typeof team.get>[number];

function useFaces(): readonly Face[] {
  const [people, online, offlineIds] = [useStore(team), useStore(isOnline), useStore(canSignInOffline)];
  const [last, timezone] = [useStore(lastEmployeeId), useStore(device)?.location.timezone];
  const noteOf = ({ id, has_passcode, role_name, clocked_in_since }: Member): string | undefined => {
    if (!has_passcode) return 'needs a passcode from the owner';
    if (!online && !offlineIds.has(id)) return 'cannot sign in without a network';
    if (clocked_in_since !== undefined) return `clocked in since ${printTime(clocked_in_since, 'time', timezone)}`;
    return role_name;
  };
  return [...people]
    .sort(
      (one, other) =>
        Number(other.id === last) - Number(one.id === last) || Number(other.has_passcode) - Number(one.has_passcode),
    )
    .map((member) => ({
      id: member.id,
      first_name: member.first_name,
      last_name: member.last_name,
      note: noteOf(member),
      isDisabled: !member.has_passcode || (!online && !offlineIds.has(member.id)),
    }));
}

export function SignIn() {
  const [chosen, setChosen] = useState<string>();
  const [faces, paired, revoked] = [useFaces(), useStore(device), useStore(isRevoked)];
  const person = faces.find(({ id }) => id === chosen);
  // People may have joined, left or clocked in meanwhile.
  useEffect(() => void (isOnline.get() && refreshTeam().catch(() => {})), []);
  if (revoked) return <Removed />;
  return (
    <div className={classes['page']}>
      <StatusBar />
      <main className={classes['main']}>
        {person ? (
          <div className={classes['passcode']}>
            <BackButton onClick={() => setChosen(undefined)}>Somebody else</BackButton>
            <VisuallyHidden component="h1">Passcode of {person.first_name}</VisuallyHidden>
            <Passcode person={person} submitLabel="Sign in" onSubmit={(passcode) => signIn(person.id, passcode)} />
            <DemoHint employeeId={person.id} />
          </div>
        ) : (
          <div className={classes['faces']}>
            <Mark size={44} />
            <h1>Who is there?</h1>
            <p>
              {paired?.business.name}, {paired?.location.name} · {paired?.name}
            </p>
            {faces.length > 0 ? (
              <Faces people={faces} onPick={setChosen} />
            ) : (
              <Empty icon={IconUsers} title="Nobody may work here yet">
                The owner adds employees in the dashboard, activates them for this location, and sets their passcodes.
              </Empty>
            )}
          </div>
        )}
      </main>
    </div>
  );
}

function DemoHint({ employeeId }: { readonly employeeId: string }) {
  const passcode = demoPasscodeOf(employeeId);
  return passcode === undefined ? null : (
    <p className={classes['demo']}>
      Demo: the passcode is <strong>{passcode}</strong>
    </p>
  );
}
