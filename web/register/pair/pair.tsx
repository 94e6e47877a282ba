/** A device that is not paired yet: shows a code that the owner types in the dashboard, and asks whether the business may have it. */
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { IconPlayerPlay, IconRefresh, IconShieldLock } from '../../ui/icons.js';
import { Mark } from '../../ui/mark.js';
import { type Asking, type Pairing, pairWithDemo, startPairing } from '../core/device.js';
import { isSecure } from '../core/secure.js';
import { BigButton } from '../parts/big-button.js';
import { Message } from '../parts/message.js';
import { PairingCode } from './code.js';
import { rememberDemo, useIsDemoOffered } from './demo.js';
import classes from './pair.module.css';

type Phase =
  | { readonly name: 'asking' }
  | { readonly name: 'waiting'; readonly pairing: Pairing }
  | { readonly name: 'asked'; readonly pairing: Pairing; readonly asking: Asking }
  | { readonly name: 'expired' }
  | { readonly name: 'failed'; readonly problem: Problem };

/** Asks for a pairing code, and for another one when the person wants it. Stops when the person leaves the page. */
function usePairing() {
  const [phase, setPhase] = useState<Phase>({ name: 'asking' });
  const [attempt, setAttempt] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks for another code
  useEffect(() => {
    let pairing: Pairing | undefined;
    let isHere = true;
    const ask = async (): Promise<void> => {
      pairing = await startPairing((asking) => {
        if (isHere && pairing) setPhase({ name: 'asked', pairing, asking });
      });
      if (!isHere) return pairing.cancel();
      setPhase({ name: 'waiting', pairing });
      const end = await pairing.paired;
      if (isHere && end === 'EXPIRED') setPhase({ name: 'expired' });
    };
    setPhase({ name: 'asking' });
    ask().catch((error: unknown) => isHere && setPhase({ name: 'failed', problem: asProblem(error) }));
    return () => {
      isHere = false;
      pairing?.cancel();
    };
  }, [attempt]);
  return { phase, start: () => setAttempt((count) => count + 1) };
}

export default function Pair() {
  return (
    <main className={classes['page']}>
      <div className={classes['card']}>
        <Mark size={56} />
        {isSecure() ? <Steps /> : <NeedsHttps />}
      </div>
    </main>
  );
}

function Steps() {
  const { phase, start } = usePairing();
  if (phase.name === 'asked') return <Question {...phase} onRefused={start} />;
  return (
    <>
      <h1>Pair this register</h1>
      {phase.name === 'asking' && <p role="status">Asking for a code …</p>}
      {phase.name === 'waiting' && (
        <>
          <PairingCode code={phase.pairing.code} />
          <p className={classes['hint']}>
            In the dashboard, open <strong>Devices</strong>, tap <strong>Pair a device</strong> and type this code.
          </p>
          <p className={classes['wait']} role="status">
            <span className={classes['pulse']} aria-hidden />
            Waiting. The code is valid for 10 minutes.
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
          <Message tone="danger" role="alert">
            {phase.problem.isOutage ? 'The server does not respond. Pairing needs the network.' : phase.problem.message}
          </Message>
          <BigButton tone="main" isTall icon={IconRefresh} onClick={start}>
            Try again
          </BigButton>
        </>
      )}
      <DemoButton />
    </>
  );
}

interface QuestionProps {
  readonly pairing: Pairing;
  readonly asking: Asking;
  readonly onRefused: () => void;
}

/** Anybody can type a code by mistake, or guess it: only the person who sees the names knows whether they are right. */
function Question({ pairing, asking: { business, location, name }, onRefused }: QuestionProps) {
  const [busyWith, setBusyWith] = useState<'yes' | 'no'>();
  const [problem, setProblem] = useState<Problem>();
  const answer = async (accept: boolean): Promise<void> => {
    setBusyWith(accept ? 'yes' : 'no');
    setProblem(undefined);
    try {
      await pairing.answer(accept);
      if (!accept) onRefused(); // after a yes the register waits for its first data, and then leaves this page
    } catch (error) {
      setProblem(asProblem(error));
      setBusyWith(undefined);
    }
  };
  return (
    <>
      <h1>
        Pair this register with {business}, {location}?
      </h1>
      <p className={classes['hint']} role="status">
        It will be called <strong>{name}</strong>. Say yes only if this is where you work: whoever owns this business
        sees everything that is sold here.
      </p>
      <div className={classes['answers']}>
        <BigButton tone="main" isTall isBusy={busyWith === 'yes'} onClick={() => answer(true)}>
          Yes, pair it
        </BigButton>
        <BigButton isTall isBusy={busyWith === 'no'} onClick={() => answer(false)}>
          No, get another code
        </BigButton>
      </div>
      {problem && (
        <Message tone="danger" role="alert">
          {problem.isOutage ? 'The server does not respond. Try again.' : problem.message}
        </Message>
      )}
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
        <Message tone="danger" role="alert">
          {problem.message}
        </Message>
      )}
    </div>
  );
}

/** Without https a browser allows neither service workers nor cryptography: the register would lose sales. */
function NeedsHttps() {
  return (
    <>
      <h1>Pair this register</h1>
      <Message tone="warning" icon={IconShieldLock} title="This address needs https" role="alert">
        A register keeps selling without a network. Browsers allow that only at an address that begins with https, or on
        the server's own machine. Open this page at the https address of your server, then pair it.
      </Message>
    </>
  );
}
