/** Shows the sign-in page, or the shell once the business is known. */
import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../ui/states.js';
import { businessQuery } from './business.js';
import { useLiveChanges } from './live.js';
import { useSession } from './session/session.js';
import { SignInPage } from './session/sign-in-page.js';
import { Shell } from './shell/shell.js';

export function Root() {
  const session = useSession();
  if (session.data === null) return <SignInPage />;
  if (session.error) return <Failed error={session.error} onRetry={() => session.refetch()} />;
  return session.data ? <SignedIn /> : <Waiting />;
}

function SignedIn() {
  const business = useQuery(businessQuery);
  useLiveChanges();
  if (business.data) return <Shell />;
  if (business.error) return <Failed error={business.error} onRetry={() => business.refetch()} />;
  return <Waiting />;
}

function Waiting() {
  return (
    <Center component="main" mih="100vh">
      <Loader aria-label="Loading" role="status" />
    </Center>
  );
}
