/** What the card processor does next for a merchant: decline a card in any way, respond slowly or not at all, or fail a refund. */
import { Button, Group, NumberInput, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { DECLINE_CODES, type DeclineCode } from '../../../src/base/errors.js';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Card, LoadingRows } from '../../ui/states.js';
import { merchantName, useChosenMerchant, useMerchants } from '../merchants.js';
import { RuleList } from './rule-list.js';

type Rule = ResponseOf<typeof sandbox.listProcessorRules>['rules'][number];

const EFFECTS = [
  { value: 'DECLINE', label: 'Decline the next card' },
  { value: 'DELAY', label: 'Respond slowly (5 s)' },
  { value: 'TIME_OUT', label: 'Do not respond' },
  { value: 'FAIL_REFUND', label: 'Fail the next refund' },
] as const satisfies readonly { value: Rule['effect']; label: string }[];

type Effect = (typeof EFFECTS)[number]['value'];

const SLOW_MS = 5000;

export function ProcessorCard() {
  const merchantId = useChosenMerchant();
  const merchants = useMerchants();
  return (
    <Card padded>
      <Stack gap="lg">
        <Stack gap={2}>
          <Title order={2} size="h5">
            Card processor
          </Title>
          {merchantId !== undefined && (
            <Text size="sm" c="dimmed">
              For {merchantName(merchants.data, merchantId)}.
            </Text>
          )}
        </Stack>
        {merchantId !== undefined ? (
          <Rules key={merchantId} merchantId={merchantId} />
        ) : merchants.data ? (
          <Text c="dimmed" data-state="empty">
            Make a merchant first: a rule applies to one merchant.
          </Text>
        ) : (
          <LoadingRows rows={3} />
        )}
      </Stack>
    </Card>
  );
}

function Rules({ merchantId }: { readonly merchantId: string }) {
  const act = useAct();
  const query = useQuery({
    queryKey: ['listProcessorRules', merchantId],
    queryFn: async () => (await call(sandbox.listProcessorRules, { merchant_id: merchantId })).rules,
  });
  const remove = (id: string) =>
    act(() => call(sandbox.removeProcessorRule, { merchant_id: merchantId, rule_id: id }), 'The rule is removed');
  return (
    <>
      <NewRule merchantId={merchantId} />
      <QueryView query={query} loading={<LoadingRows rows={3} />}>
        {(rules) => (
          <RuleList
            none="No rule. Each test card does what its name says."
            rules={rules.map(({ id, effect, code, source_id, delay_ms, remaining }) => ({
              id,
              title: EFFECTS.find(({ value }) => value === effect)?.label ?? `Use another source (${effect})`,
              detail: code ?? source_id ?? (delay_ms === undefined ? 'the next call' : `${delay_ms} ms`),
              remaining,
            }))}
            onRemove={remove}
          />
        )}
      </QueryView>
    </>
  );
}

function NewRule({ merchantId }: { readonly merchantId: string }) {
  const [effect, setEffect] = useState<Effect>('DECLINE');
  const [code, setCode] = useState<DeclineCode>('GENERIC_DECLINE');
  const [times, setTimes] = useState<number | string>(1);
  const [problem, setProblem] = useState<Problem>();
  const saved = useSaved();
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    try {
      await call(sandbox.addProcessorRule, {
        merchant_id: merchantId,
        effect,
        times: Number(times),
        ...(effect === 'DECLINE' && { code }),
        ...(effect === 'DELAY' && { delay_ms: SLOW_MS }),
      });
      await saved('The rule is added');
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select
          label="What it does"
          data={[...EFFECTS]}
          value={effect}
          allowDeselect={false}
          onChange={(next) => next && setEffect(next as Effect)}
        />
        <Group gap="sm" grow>
          <Select
            label="Reason"
            data={[...DECLINE_CODES]}
            value={code}
            disabled={effect !== 'DECLINE'}
            allowDeselect={false}
            searchable
            onChange={(next) => next && setCode(next as DeclineCode)}
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
        {problem && <ProblemAlert problem={problem} />}
        <Group>
          <Button type="submit">Add</Button>
        </Group>
      </Stack>
    </form>
  );
}
