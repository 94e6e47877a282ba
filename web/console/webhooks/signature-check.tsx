/** Tells a developer why the signature that their receiver computed is not the one that was sent. */
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { Tag } from '../../ui/tag.js';

type Checked = ResponseOf<typeof sandbox.checkSignature>;

interface SignatureCheckProps {
  readonly merchantId: string;
  readonly deliveryId: string;
}

export function SignatureCheck({ merchantId, deliveryId }: SignatureCheckProps) {
  const [signature, setSignature] = useState('');
  const [checked, setChecked] = useState<Checked>();
  const [problem, setProblem] = useState<Problem>();
  const check = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    try {
      setChecked(await call(sandbox.checkSignature, { merchant_id: merchantId, delivery_id: deliveryId, signature }));
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        Signature
      </Title>
      <form onSubmit={check}>
        <Group gap="xs" align="flex-end">
          <TextInput
            style={{ flex: '1 1 220px' }}
            label="Does your receiver compute another one?"
            description="Paste what it computed for this delivery, to learn what is different."
            required
            maxLength={512}
            value={signature}
            onChange={(event) => setSignature(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={signature.trim() === ''}>
            Check
          </Button>
        </Group>
      </form>
      {problem && <ProblemAlert problem={problem} />}
      {checked && (
        <Stack gap="xs" role="status">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <Tag tone={checked.matches ? 'good' : 'bad'}>{checked.matches ? 'right' : 'wrong'}</Tag>
            <Text style={{ overflowWrap: 'anywhere' }}>{checked.finding}</Text>
          </Group>
          <Facts
            facts={[
              { name: 'Signed URL', value: <CopyId id={checked.notification_url} label="URL" /> },
              { name: 'SHA-256', value: <CopyId id={checked.sha256} label="SHA-256 signature" /> },
              { name: 'SHA-1', value: <CopyId id={checked.sha1} label="SHA-1 signature" /> },
            ]}
          />
        </Stack>
      )}
    </Stack>
  );
}
