/** A device that is not paired yet: shows a code that the owner types in the dashboard. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { IconAlertTriangle, IconPlayerPlay, IconRefresh, IconShieldLock } from '../../ui/icons.js';
import { Mark } from '../../ui/mark.js';
import { type Pairing, pairWithDemo, startPairing } from '../core/device.js';
import { isSecure } from '../core/secure.js';
import { BigButton } from '../parts/big-button.js';
import { PairingCode } from './code.js';
import { rememberDemo, useIsDemoOffered } from './demo.js';
import classes from './pair.module.css';

type Phase =
  | { readonly name: 'asking' }
  | { readonly name: 'waiting'; readonly pairing: Pairing }
  | { readonly name: 'expired' }
  | { readonly name: 'failed'; readonly problem: Problem };

/** Asks for a code, and for the next one when the person wants one. */
function usePairing() {
  const [phase, setPhase] = useState<Phase>({ name: 'asking' });
  const current = useRef<Pairing>(undefined);
  const start = useCallback(async (): Promise<void> => {
    current.current?.cancel();
    setPhase({ name: 'asking' });
    try {
      const pairing = await startPairing();
      current.current = pairing;
      setPhase({ name: 'waiting', pairing });
      const end = await pairing.paired;
      if (current.current === pairing && end === 'EXPIRED') setPhase({ name: 'expired' });
    } catch (error) {
      setPhase({ name: 'failed', problem: asProblem(error) });
    }
  }, []);
  useEffect(() => {
    void start();
    return () => current.current?.cancel();
  }, [start]);
  return { phase, start };
}

export function Pair() {
  return (
    <main className={classes['page']}>
      <div className={classes['card']}>
        <Mark size={56} />
        <h1>Pair this register</h1>
        {isSecure() ? <Code /> : <NeedsHttps />}
      </div>
    </main>
  );
}

function Code() {
  const { phase, start } = usePairing();
  return (
    <>
      {phase.name === 'asking' && <p role="status">Asking for a code …</p>}
      {phase.name === 'waiting' && (
        <>
          <PairingCode code={phase.pairing.code} />
          <p className={classes['hint']}>
            In the dashboard, open <strong>Devices</strong>, tap <strong>Pair a register</strong> and type this code.
          </p>
          <p className={classes['wait']} role="status">
            <span className={classes['pulse']} aria-hidden />
            Waiting. The code is valid for ten minutes.
          </p>
        </>
      )}
      {phase.name === 'expired' && (
        <>
          <p className={classes['hint']} role="status">
            The code has expired. Nothing is paired.
          </p>
          <BigButton tone="main" isTall icon={IconRefresh} onClick={start}>
            Get another code
          </BigButton>
        </>
      )}
      {phase.name === 'failed' && (
        <>
          <p className={classes['problem']} role="alert">
            <IconAlertTriangle size={22} stroke={1.8} aria-hidden />
            {phase.problem.isOutage ? 'The server does not respond. Pairing needs the network.' : phase.problem.message}
          </p>
          <BigButton tone="main" isTall icon={IconRefresh} onClick={start}>
            Try again
          </BigButton>
        </>
      )}
      <DemoButton />
    </>
  );
}

/** In a sandbox on its own machine: the register of the demo, with one tap. */
function DemoButton() {
  const isOffered = useIsDemoOffered();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  if (!isOffered) return null;
  const enter = async (): Promise<void> => {
    setBusy(true);
    try {
      const { employees } = await pairWithDemo();
      rememberDemo(employees);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <div className={classes['demo']}>
      <span>sandbox</span>
      <BigButton icon={IconPlayerPlay} isBusy={isBusy} onClick={enter}>
        Use the demo's register
      </BigButton>
      {problem && (
        <p className={classes['problem']} role="alert">
          {problem.message}
        </p>
      )}
    </div>
  );
}

/** Without https a browser allows neither service workers nor cryptography: the register would lose sales. */
function NeedsHttps() {
  return (
    <div className={classes['https']} role="alert">
      <IconShieldLock size={32} stroke={1.6} aria-hidden />
      <div>
        <strong>This address needs https</strong>
        <p>
          A register keeps selling without a network. Browsers allow that only at an address that begins with https, or
          on the server's own machine. Open this page at the https address of your server, then pair it.
        </p>
      </div>
    </div>
  );
}
