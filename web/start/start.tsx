/** Where to go next: the dashboard with the demo's sign-in, the register, the demo's store, the console, and the documentation. */
import { Anchor, Box, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { callOnce } from '../client/call.js';
import { signInToDemo } from '../client/demo.js';
import { dashboard } from '../client/operations.js';
import { asProblem, type Problem } from '../client/problem.js';
import { ProblemAlert } from '../ui/form-modal.js';
import {
  IconArrowRight,
  IconBook,
  IconBuildingStore,
  IconCashRegister,
  IconCode,
  IconLayoutDashboard,
  IconTerminal2,
} from '../ui/icons.js';
import { Mark } from '../ui/mark.js';
import { Card } from '../ui/states.js';

export function Start() {
  return (
    <Box component="main" maw={860} mx="auto" px="md" py={{ base: 40, sm: 80 }}>
      <Stack gap="xl">
        <Group gap="md" wrap="nowrap" align="flex-start">
          <Mark size={56} />
          <Stack gap={4}>
            <Title order={1} size="1.75rem">
              Tillhouse
            </Title>
            <Text c="dimmed">A merchant's business in one server. This one is a sandbox: no money moves.</Text>
          </Stack>
        </Group>
        <DashboardCard />
        <PlaceCard
          icon={IconCashRegister}
          title="Register"
          text="The cashier's point of sale, for a tablet or any browser. It keeps selling without a network."
        >
          <WayIn href="/register">Open the register</WayIn>
        </PlaceCard>
        <StoreCard />
        <PlaceCard
          icon={IconTerminal2}
          title="Console"
          text="For developers: what your program sends as it happens, webhooks, clocks, faults and merchants."
        >
          <WayIn href="/console">Open the console</WayIn>
        </PlaceCard>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          <LinkCard icon={IconBook} href="/docs" title="API documentation">
            Every operation with its parameters, to read and to try out.
          </LinkCard>
          <LinkCard icon={IconCode} href="/openapi.json" title="OpenAPI description">
            The same as one JSON document, for generators and clients.
          </LinkCard>
        </SimpleGrid>
      </Stack>
    </Box>
  );
}

function useDemo() {
  return useQuery({ queryKey: ['showDemoSignIn'], queryFn: () => callOnce(dashboard.showDemoSignIn) });
}

/** Every location has a store of its own. Without the demo there is none to show. */
function StoreCard() {
  const { data: demo } = useDemo();
  if (demo?.store_path === undefined) return null;
  return (
    <PlaceCard
      icon={IconBuildingStore}
      title="Store"
      text="The shopper's view: an online store over the public checkout, with test cards to pay with."
    >
      <WayIn href={demo.store_path}>Open the store</WayIn>
    </PlaceCard>
  );
}

function DashboardCard() {
  const { data: demo } = useDemo();
  const [problem, setProblem] = useState<Problem>();
  const enterDemo = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await signInToDemo();
      location.assign('/dashboard');
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <PlaceCard
      icon={IconLayoutDashboard}
      title="Dashboard"
      text="The owner's view: team, timecards, cash drawers, payouts, devices, developers, security."
    >
      <Group gap="sm">
        {demo?.available && (
          <Button size="md" rightSection={<IconArrowRight size={18} />} onClick={enterDemo}>
            Enter the demo
          </Button>
        )}
        <Button size="md" variant={demo?.available ? 'default' : 'filled'} component="a" href="/dashboard">
          Sign in
        </Button>
      </Group>
      {problem && <ProblemAlert problem={problem} />}
    </PlaceCard>
  );
}

function WayIn({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <Group>
      <Button size="md" variant="default" component="a" href={href} rightSection={<IconArrowRight size={18} />}>
        {children}
      </Button>
    </Group>
  );
}

interface PlaceCardProps {
  readonly icon: typeof IconBook;
  readonly title: string;
  readonly text: string;
  /** The ways in. */
  readonly children: ReactNode;
}

function PlaceCard({ icon: Icon, title, text, children }: PlaceCardProps) {
  return (
    <Card padded>
      <Stack gap="md">
        <Group gap="md" align="flex-start" wrap="nowrap">
          <Icon size={30} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
          <Stack gap={2}>
            <Title order={2} size="h3">
              {title}
            </Title>
            <Text c="dimmed">{text}</Text>
          </Stack>
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

interface LinkCardProps {
  readonly icon: typeof IconBook;
  readonly href: string;
  readonly title: string;
  readonly children: ReactNode;
}

function LinkCard({ icon: Icon, href, title, children }: LinkCardProps) {
  return (
    <Card padded>
      <Stack gap="xs">
        <Icon size={26} stroke={1.6} aria-hidden />
        <Title order={2} size="h4">
          <Anchor href={href} inherit>
            {title}
          </Anchor>
        </Title>
        <Text c="dimmed">{children}</Text>
      </Stack>
    </Card>
  );
}
