/** Shows the sign-in page, or the shell for the operator. */
import { Center, Loader } from '@mantine/core';
import { useEffect } from 'react';
import { prompt } from '../client/prompts.js';
import { useStore } from '../client/store.js';
import { Failed } from '../ui/states.js';
import { useLiveConsole } from './live.js';
import { useSession } from './session/session.js';
import { SignInPage } from './session/sign-in-page.js';
import { Shell } from './shell/shell.js';

export function Root() {
  const session = useSession();
  if (session.error) return <Failed error={session.error} onRetry={() => session.refetch()} />;
  if (!session.data) {
    return (
      <Center component="main" mih="100vh">
        <Loader aria-label="Loading" role="status" />
      </Center>
    );
  }
  return session.data.signed_in ? <SignedIn /> : <SignInPage oneClick={session.data.one_click} />;
}

function SignedIn() {
  useLiveConsole();
  useEndedSession();
  return <Shell />;
}

/** Shows the sign-in page after a request was refused because the operator key has changed. */
function useEndedSession(): void {
  const asked = useStore(prompt);
  const { refetch } = useSession();
  useEffect(() => {
    if (!asked) return;
    asked.answer(false);
    void refetch();
  }, [asked, refetch]);
}
