/** Signs the owner in by email and password, or with one click in a sandbox with the demo business. */
import { Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callOnce } from '../../client/call.js';
import { signInToDemo } from '../../client/demo.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconPlayerPlay } from '../../ui/icons.js';

type Session = ResponseOf<typeof dashboard.signIn>;

interface SignInFormProps {
  /** Known when somebody signs in again. */
  readonly email?: string | undefined;
  readonly onSignedIn: (session: Session) => void;
}

export function SignInForm({ email: known, onSignedIn }: SignInFormProps) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const attempt = async (signIn: () => Promise<Session>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onSignedIn(await signIn());
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void attempt(() => callOnce(dashboard.signIn, { email, password }));
  };
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            data-autofocus
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {problem && <ProblemAlert problem={problem} />}
          <Button type="submit" fullWidth loading={isBusy}>
            Sign in
          </Button>
        </Stack>
      </form>
      <DemoButton onSignIn={() => attempt(enterDemo)} />
    </Stack>
  );
}

async function enterDemo(): Promise<Session> {
  await signInToDemo();
  return callOnce(dashboard.showSession);
}

/** The email of the demo's owner, if this browser may sign in without the password. */
export function useDemoOwner(): string | undefined {
  const { data } = useQuery({
    queryKey: ['showDemoSignIn'],
    queryFn: () => callOnce(dashboard.showDemoSignIn),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.email;
}

function DemoButton({ onSignIn }: { readonly onSignIn: () => void }) {
  if (useDemoOwner() === undefined) return null;
  return (
    <>
      <Divider label="sandbox" labelPosition="center" />
      <Button variant="default" fullWidth leftSection={<IconPlayerPlay size={18} />} onClick={onSignIn}>
        Continue as the demo's owner
      </Button>
    </>
  );
}
