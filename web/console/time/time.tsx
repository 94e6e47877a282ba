/** The clocks of all merchants: jump, freeze, run, and what became due in between. */
import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconBuildingStore, IconClock } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useSaved } from '../../ui/save.js';
import { Card, Empty, LoadingBlock, LoadingRows } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment, printTime } from '../../ui/time.js';
import { MerchantSelect } from '../merchant-select.js';
import { useChosenMerchant, useMerchants } from '../merchants.js';
import { DUE_WORDS } from './due-words.js';

type Due = ResponseOf<typeof sandbox.listDueWork>['due_work'][number];
type Clock = ResponseOf<typeof sandbox.retrieveClock>['clock'];
type Change = { readonly advance?: string; readonly now?: string; readonly frozen?: boolean };

export function Page() {
  const merchants = useMerchants();
  const merchantId = useChosenMerchant();
  return (
    <Frame
      title="Time"
      description="Each merchant has a clock of its own. Move it, and what becomes due in between happens at once."
      actions={<MerchantSelect />}
    >
      <QueryView
        query={merchants}
        loading={<LoadingBlock height={320} />}
        isEmpty={(all) => all.length === 0}
        empty={
          <Card>
            <Empty icon={IconBuildingStore} title="No merchant yet">
              Make a merchant first: it brings its clock with it.
            </Empty>
          </Card>
        }
      >
        {() => (merchantId === undefined ? null : <MerchantTime key={merchantId} merchantId={merchantId} />)}
      </QueryView>
    </Frame>
  );
}

function MerchantTime({ merchantId }: { readonly merchantId: string }) {
  const [done, setDone] = useState<readonly Due[]>();
  const clock = useQuery({
    queryKey: ['retrieveClock', merchantId],
    queryFn: async () => (await call(sandbox.retrieveClock, { merchant_id: merchantId })).clock,
    refetchInterval: 5000,
  });
  const due = useQuery({
    queryKey: ['listDueWork', merchantId],
    queryFn: async () => (await call(sandbox.listDueWork, { merchant_id: merchantId })).due_work,
  });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" data-state={clock.data ? 'full' : undefined}>
      <Card padded>
        <QueryView query={clock} loading={<LoadingBlock height={260} />}>
          {(shown) => <ClockCard merchantId={merchantId} clock={shown} onDone={setDone} />}
        </QueryView>
      </Card>
      <Stack gap="lg">
        {done && (
          <Card padded>
            <Title order={2} size="h5" mb="sm">
              What became due in between
            </Title>
            {done.length === 0 ? <Text c="dimmed">Nothing.</Text> : <DueList works={done} />}
          </Card>
        )}
        <Card padded>
          <Title order={2} size="h5" mb="sm">
            What comes next
          </Title>
          <QueryView
            query={due}
            loading={<LoadingRows rows={4} />}
            isEmpty={(works) => works.length === 0}
            empty={<Text c="dimmed">Nothing is due.</Text>}
          >
            {(works) => <DueList works={works} />}
          </QueryView>
        </Card>
      </Stack>
    </SimpleGrid>
  );
}

const JUMPS = [
  { advance: 'PT1H', label: '1 hour' },
  { advance: 'P1D', label: '1 day' },
  { advance: 'P7D', label: '7 days' },
  { advance: 'P30D', label: '30 days' },
] as const;

interface ClockCardProps {
  readonly merchantId: string;
  readonly clock: Clock;
  readonly onDone: (works: readonly Due[]) => void;
}

function ClockCard({ merchantId, clock, onDone }: ClockCardProps) {
  const [advance, setAdvance] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const saved = useSaved();
  const change = async (changes: Change): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { clock: moved, done } = await call(sandbox.changeClock, { merchant_id: merchantId, ...changes });
      if (changes.frozen === undefined) onDone(done);
      await saved(`The clock shows ${printTime(moved.now, 'long')}`);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const jump = (event: FormEvent): void => {
    event.preventDefault();
    void change({ advance });
  };
  const isReal = !clock.frozen && Math.abs(clock.offset_ms) < 1000;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={2}>
          <Text size="sm" c="dimmed">
            The clock shows
          </Text>
          <Text fz={{ base: '1.25rem', sm: '1.5rem' }} fw={650}>
            <Moment at={clock.now} style="long" />
          </Text>
          <Text size="sm" c="dimmed">
            {clock.frozen
              ? 'It stays at this time until you move it or let it run.'
              : isReal
                ? 'It shows real time.'
                : 'It runs, but does not show real time.'}
          </Text>
        </Stack>
        <Tag tone={clock.frozen ? 'warning' : 'good'}>{clock.frozen ? 'Frozen' : 'Running'}</Tag>
      </Group>
      <Stack gap="xs">
        <Title order={2} size="h5">
          Jump ahead
        </Title>
        <Group gap="xs">
          {JUMPS.map((each) => (
            <Button
              key={each.advance}
              variant="default"
              size="sm"
              disabled={isBusy}
              onClick={() => change({ advance: each.advance })}
            >
              {each.label}
            </Button>
          ))}
        </Group>
        <form onSubmit={jump}>
          <Group gap="xs" align="flex-end">
            <TextInput
              style={{ flex: '1 1 160px' }}
              label="Another duration"
              description="Such as P61D, PT36H or P1DT2H."
              required
              value={advance}
              onChange={(event) => setAdvance(event.currentTarget.value)}
            />
            <Button type="submit" loading={isBusy} disabled={advance === ''} leftSection={<IconClock size={18} />}>
              Jump
            </Button>
          </Group>
        </form>
      </Stack>
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="xs">
        <Button variant="default" disabled={isBusy} onClick={() => change({ frozen: !clock.frozen })}>
          {clock.frozen ? 'Let it run' : 'Freeze it'}
        </Button>
      </Group>
    </Stack>
  );
}

function DueList({ works }: { readonly works: readonly Due[] }) {
  return (
    <Stack gap="xs" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {works.map(({ kind, subject_id, due_at }) => (
        <li key={`${kind} ${subject_id} ${due_at}`}>
          <Text>{DUE_WORDS[kind]}</Text>
          <Text size="sm" c="dimmed">
            <Moment at={due_at} style="long" /> ·{' '}
            <Text span inherit ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {subject_id}
            </Text>
          </Text>
        </li>
      ))}
    </Stack>
  );
}
