/** Asks one person for the passcode. */
import { useCallback, useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { Avatar } from '../parts/avatar.js';
import { BigButton } from '../parts/big-button.js';
import { KeyPad, type PadKey } from '../parts/key-pad.js';
import { Message } from '../parts/message.js';
import classes from './passcode.module.css';

const [MIN_DIGITS, MAX_DIGITS] = [4, 12];

interface PasscodeProps {
  readonly person: { readonly id: string; readonly first_name: string; readonly last_name: string };
  readonly submitLabel: string;
  readonly onSubmit: (passcode: string) => Promise<unknown>;
}

export function Passcode({ person, submitLabel, onSubmit }: PasscodeProps) {
  const [digits, setDigits] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const type = useCallback((key: PadKey) => {
    setProblem(undefined);
    setDigits((typed) => (key === 'BACK' ? typed.slice(0, -1) : (typed + key).slice(0, MAX_DIGITS)));
  }, []);
  const submit = async (): Promise<void> => {
    if (digits.length < MIN_DIGITS || isBusy) return;
    setBusy(true);
    try {
      await onSubmit(digits);
    } catch (error) {
      setProblem(asProblem(error));
      setDigits('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={classes['root']}>
      <div className={classes['person']}>
        <Avatar id={person.id} firstName={person.first_name} lastName={person.last_name} size={64} />
        <strong>
          {person.first_name} {person.last_name}
        </strong>
      </div>
      {problem ? (
        <Message tone="danger" role="alert">
          {wordsFor(problem)}
        </Message>
      ) : (
        <div className={classes['dots']} role="status" aria-label={`${digits.length} digits of the passcode`}>
          {digits === '' ? (
            <span className={classes['hint']}>Passcode</span>
          ) : (
            [...digits].map((_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the dots are all the same
              <span key={index} className={classes['dot']} />
            ))
          )}
        </div>
      )}
      <KeyPad onKey={type} onEnter={submit} isDisabled={isBusy} />
      <BigButton tone="main" isTall isDisabled={digits.length < MIN_DIGITS} isBusy={isBusy} onClick={submit}>
        {submitLabel}
      </BigButton>
    </div>
  );
}

function wordsFor({ status, message }: Problem): string {
  return status === 401 ? 'That is not the passcode.' : message;
}
