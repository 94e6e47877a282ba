/** The page for somebody who is not signed in. It is shown at the requested address, which opens afterwards. */
import { Box, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Mark } from '../../ui/mark.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  const queries = useQueryClient();
  useEffect(() => {
    document.title = 'Sign in - Tillhouse';
  }, []);
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={400}>
        <Stack align="center" gap="xs" mb="xl">
          <Mark size={48} />
          <Title order={1} size="1.5rem">
            Sign in to Tillhouse
          </Title>
          <Text c="dimmed" ta="center">
            Your business: who works, what is in the drawers, what is paid out.
          </Text>
        </Stack>
        <Paper withBorder radius="lg" p="xl">
          <SignInForm onSignedIn={() => queries.resetQueries()} />
        </Paper>
      </Box>
    </Center>
  );
}
