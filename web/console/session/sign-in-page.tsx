/** The page for somebody who is not signed in: the operator key, or one click on the server's own machine. */
import { Box, Button, Center, Divider, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconPlayerPlay } from '../../ui/icons.js';
import { Mark } from '../../ui/mark.js';
import { useSignIn } from './session.js';

export function SignInPage({ oneClick }: { readonly oneClick: boolean }) {
  const signIn = useSignIn();
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    document.title = 'Console - Tillhouse';
  }, []);
  const attempt = async (given?: string): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(given);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void attempt(key);
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={420}>
        <Stack align="center" gap="xs" mb="xl">
          <Mark size={48} />
          <Title order={1} size="1.5rem">
            Tillhouse console
          </Title>
          <Text c="dimmed" ta="center">
            See what your program does, as it happens: requests, webhooks, clocks and faults of this sandbox.
          </Text>
        </Stack>
        <Paper withBorder radius="lg" p="xl">
          <Stack gap="md">
            {oneClick && (
              <>
                <Button
                  fullWidth
                  size="md"
                  leftSection={<IconPlayerPlay size={18} />}
                  loading={isBusy && key === ''}
                  onClick={() => attempt()}
                >
                  Open the console
                </Button>
                <Divider label="or" labelPosition="center" />
              </>
            )}
            <form onSubmit={submit}>
              <Stack gap="md">
                <PasswordInput
                  label="Operator key"
                  description="It is in the file operator-key or demo.json of the server's data folder."
                  autoComplete="off"
                  required
                  value={key}
                  onChange={(event) => setKey(event.currentTarget.value)}
                />
                {problem && <ProblemAlert problem={problem} />}
                <Button
                  type="submit"
                  fullWidth
                  variant={oneClick ? 'default' : 'filled'}
                  loading={isBusy && key !== ''}
                  disabled={key === ''}
                >
                  Sign in
                </Button>
              </Stack>
            </form>
          </Stack>
        </Paper>
      </Box>
    </Center>
  );
}
