/** Keeps a copy of a merchant's records, and puts it back. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { IconHistory } from '../../ui/icons.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';

type Snapshot = ResponseOf<typeof sandbox.retrieveSnapshot>['snapshot'];

/** Null: there is none. */
async function findSnapshot(merchantId: string): Promise<Snapshot | null> {
  try {
    return (await call(sandbox.retrieveSnapshot, { merchant_id: merchantId })).snapshot;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

export function SnapshotSection({ merchantId }: { readonly merchantId: string }) {
  const query = useQuery({
    queryKey: ['retrieveSnapshot', merchantId],
    queryFn: () => findSnapshot(merchantId),
  });
  const [asking, setAsking] = useState<'take' | 'reset'>();
  const act = useAct();
  const saved = useSaved();
  const close = () => setAsking(undefined);
  const take = () => call(sandbox.takeSnapshot, { merchant_id: merchantId });
  const reset = async () => {
    await call(sandbox.resetMerchant, { merchant_id: merchantId });
    await saved('The merchant is as it was at the snapshot');
  };
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Snapshot
      </Title>
      <Card padded>
        <QueryView query={query} loading={<LoadingBlock height={36} />}>
          {(snapshot) => (
            <Group justify="space-between">
              <Text>
                {snapshot ? <Summary snapshot={snapshot} /> : 'Keep a copy of all records, to come back to it later.'}
              </Text>
              <Group gap="xs">
                <Button
                  variant="default"
                  onClick={() => (snapshot ? setAsking('take') : void act(take, 'The snapshot is taken'))}
                >
                  Take a snapshot
                </Button>
                <Button
                  color="red"
                  variant="light"
                  leftSection={<IconHistory size={16} />}
                  disabled={!snapshot}
                  onClick={() => setAsking('reset')}
                >
                  Reset
                </Button>
              </Group>
              {asking === 'take' && (
                <ConfirmModal
                  title="Replace the snapshot?"
                  submitLabel="Replace it"
                  onClose={close}
                  onConfirm={async () => {
                    await take();
                    await saved('The snapshot is replaced');
                  }}
                >
                  The existing snapshot will be lost: a merchant has only one.
                </ConfirmModal>
              )}
              {asking === 'reset' && snapshot && (
                <ConfirmModal title="Reset the merchant?" submitLabel="Reset" danger onClose={close} onConfirm={reset}>
                  All its records go back to the snapshot, and its clock to <Moment at={snapshot.now} style="long" />.
                  Everything after it is lost, and tokens that were created since stop working.
                </ConfirmModal>
              )}
            </Group>
          )}
        </QueryView>
      </Card>
    </Stack>
  );
}

function Summary({ snapshot: { taken_at, now, records } }: { readonly snapshot: Snapshot }) {
  return (
    <>
      Taken <Moment at={taken_at} style="long" />: {records} records, clock at <Moment at={now} style="long" />.
    </>
  );
}
