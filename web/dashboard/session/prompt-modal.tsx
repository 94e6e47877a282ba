/** Asks the owner to sign in again after the session has ended or before a sensitive change. Nothing on the page below is lost. */
import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { callOnce } from '../../client/call.js';
import { signInToDemo } from '../../client/demo.js';
import { dashboard } from '../../client/operations.js';
import { prompt } from '../../client/prompts.js';
import { useStore } from '../../client/store.js';
import { Dialog } from '../../ui/dialog.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSession, useSignedInAgain } from './session.js';
import { SignInForm, useDemoOwner } from './sign-in-form.js';

export function PromptModal() {
  const asked = useStore(prompt);
  const signedInAgain = useSignedInAgain();
  const { data: session } = useSession();
  if (!asked) return null;
  if (asked.kind === 'password') return <ConfirmPassword onAnswer={asked.answer} />;
  return (
    <Dialog title="Your session has ended" onClose={() => asked.answer(false)}>
      <Stack gap="md">
        <Text c="dimmed">Sign in again to go on. What you typed is still there.</Text>
        <SignInForm
          email={session?.email}
          onSignedIn={(signedIn) => {
            signedInAgain(signedIn);
            asked.answer(true);
          }}
        />
      </Stack>
    </Dialog>
  );
}

function ConfirmPassword({ onAnswer }: { readonly onAnswer: (isAnswered: boolean) => void }) {
  const [password, setPassword] = useState('');
  const [demoOwner, { data: session }] = [useDemoOwner(), useSession()];
  const isDemo = demoOwner !== undefined && session?.email === demoOwner;
  return (
    <FormModal
      title="Confirm that it is you"
      submitLabel="Confirm"
      onClose={() => onAnswer(false)}
      onSubmit={async () => {
        await callOnce(dashboard.confirmPassword, { password });
        onAnswer(true);
      }}
    >
      {() => (
        <>
          <Text c="dimmed">
            Keys, devices, bank accounts and passcodes change only with a password that is at most 15 minutes old.
          </Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            data-autofocus
          />
          {isDemo && (
            <Button
              variant="default"
              onClick={async () => {
                await signInToDemo();
                onAnswer(true);
              }}
            >
              Continue as the demo's owner
            </Button>
          )}
        </>
      )}
    </FormModal>
  );
}
