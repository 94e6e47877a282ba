/** Faults of requests and webhooks. */
import { Button, Group, NumberInput, Select, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useAddress } from '../../ui/address.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Card, LoadingRows } from '../../ui/states.js';
import { merchantName, useMerchants } from '../merchants.js';
import { RuleList } from './rule-list.js';

type Fault = ResponseOf<typeof sandbox.listFaults>['faults'][number];

/** The faults that can be switched on, with what each needs. */
const FAULTS = [
  { value: 'delay', label: 'Slow response', effect: 'DELAY', delayMs: 3000 },
  { value: 'slow', label: 'Slow body of the response', effect: 'SLOW_BODY', delayMs: 10_000 },
  { value: '503', label: 'Service unavailable (503)', effect: 'STATUS', status: 503 },
  { value: '500', label: 'Internal error (500)', effect: 'STATUS', status: 500 },
  { value: '429', label: 'Too many requests (429)', effect: 'STATUS', status: 429 },
  { value: 'status', label: 'Another error status', effect: 'STATUS' },
  { value: 'before', label: 'Connection reset before operation', effect: 'RESET_BEFORE' },
  { value: 'during', label: 'Connection reset during response', effect: 'RESET_DURING' },
  { value: 'after', label: 'Connection reset after operation', effect: 'RESET_AFTER' },
  { value: 'twice', label: 'Webhook sent twice', effect: 'WEBHOOK_TWICE' },
  { value: 'late', label: 'Webhook one minute late', effect: 'WEBHOOK_LATE', delayMs: 60_000 },
] as const;

type Choice = (typeof FAULTS)[number];

export function FaultCard() {
  const [merchantId] = useAddress('merchant');
  const { data: merchants } = useMerchants();
  const act = useAct();
  const query = useQuery({
    queryKey: ['listFaults', merchantId],
    queryFn: async () => (await call(sandbox.listFaults, { merchant_id: merchantId })).faults,
  });
  const detailOf = ({ operation, event_type, effect, merchant_id, delay_ms }: Fault): string =>
    [
      effect.startsWith('WEBHOOK') ? (event_type ?? 'any event') : (operation ?? 'any operation'),
      merchant_id === undefined ? 'all merchants' : merchantName(merchants, merchant_id),
      ...(delay_ms === undefined ? [] : [`${delay_ms} ms`]),
    ].join(' · ');
  return (
    <Card padded>
      <Stack gap="lg">
        <Title order={2} size="h5">
          Requests and webhooks
        </Title>
        <NewFault merchantId={merchantId} />
        <QueryView query={query} loading={<LoadingRows rows={3} />}>
          {(faults) => (
            <RuleList
              none="No fault is switched on. Requests and webhooks work as they should."
              rules={faults.map((fault) => ({
                id: fault.id,
                title: titleOf(fault),
                detail: detailOf(fault),
                remaining: fault.remaining,
              }))}
              onRemove={(id) => act(() => call(sandbox.removeFault, { fault_id: id }), 'The fault is switched off')}
            />
          )}
        </QueryView>
      </Stack>
    </Card>
  );
}

function titleOf({ effect, status }: Fault): string {
  const [known] = FAULTS.filter(
    (each) => each.effect === effect && ('status' in each ? each.status : undefined) === status,
  );
  return known?.label ?? (status === undefined ? effect : `Error status ${status}`);
}

function NewFault({ merchantId }: { readonly merchantId: string | undefined }) {
  const [kind, setKind] = useState<Choice['value']>('503');
  const [operation, setOperation] = useState('');
  const [times, setTimes] = useState<number | string>(1);
  const [status, setStatus] = useState<number | string>(502);
  const [problem, setProblem] = useState<Problem>();
  const saved = useSaved();
  const chosen = FAULTS.find(({ value }) => value === kind) ?? FAULTS[0];
  const isWebhook = chosen.effect.startsWith('WEBHOOK');
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    try {
      await call(sandbox.addFault, {
        effect: chosen.effect,
        times: Number(times),
        ...(chosen.effect === 'STATUS' && { status: 'status' in chosen ? chosen.status : Number(status) }),
        ...('delayMs' in chosen && { delay_ms: chosen.delayMs }),
        ...(merchantId !== undefined && { merchant_id: merchantId }),
        ...(!isWebhook && operation.trim() !== '' && { operation: operation.trim() }),
      });
      await saved('The fault is switched on');
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select
          label="What goes wrong"
          data={FAULTS.map(({ value, label }) => ({ value, label }))}
          value={kind}
          allowDeselect={false}
          onChange={(next) => next && setKind(next as Choice['value'])}
        />
        {chosen.value === 'status' && (
          <NumberInput
            label="Status"
            min={400}
            max={599}
            allowDecimal={false}
            required
            value={status}
            onChange={setStatus}
          />
        )}
        <Group gap="sm" align="flex-start" grow>
          <TextInput
            label="Operation"
            placeholder="any, or v2.createPayment"
            disabled={isWebhook}
            value={operation}
            onChange={(event) => setOperation(event.currentTarget.value)}
            error={problem?.field === 'operation' && problem.message}
          />
          <NumberInput
            label="How often"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            required
            value={times}
            onChange={setTimes}
          />
        </Group>
        {problem && problem.field !== 'operation' && <ProblemAlert problem={problem} />}
        <Group>
          <Button type="submit">Switch on</Button>
        </Group>
      </Stack>
    </form>
  );
}
