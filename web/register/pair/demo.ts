/** The demo's people with their passcodes, so that the demo's register can be used at once. There are none of a real business. */
import { useEffect, useState } from 'react';
import { isDemoOffered } from '../../client/demo.js';

interface DemoPerson {
  readonly id: string;
  readonly passcode: string;
}

const KEY = 'tillhouse-demo-passcodes';

export function rememberDemo(people: readonly DemoPerson[]): void {
  localStorage.setItem(KEY, JSON.stringify(people.map(({ id, passcode }) => ({ id, passcode }))));
}

/** Undefined for everybody else. */
export function demoPasscodeOf(employeeId: string): string | undefined {
  const people = JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly DemoPerson[];
  return people.find(({ id }) => id === employeeId)?.passcode;
}

export function useIsDemoOffered(): boolean {
  const [isOffered, setOffered] = useState(false);
  useEffect(() => {
    let isHere = true;
    isDemoOffered().then(
      (offered) => isHere && setOffered(offered),
      () => {}, // the server does not respond, so it offers nothing
    );
    return () => {
      isHere = false;
    };
  }, []);
  return isOffered;
}
