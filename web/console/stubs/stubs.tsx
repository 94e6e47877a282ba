/** The stubs that answer requests, in the order in which they are asked. */
import { ActionIcon, Button, Group, Stack, Text, Title, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useAddress, useDialogAddress } from '../../ui/address.js';
import { CodeText } from '../../ui/code-text.js';
import { IconPlus, IconReplace, IconTrash, IconX } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct } from '../../ui/save.js';
import { Card, Empty, LoadingRows } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { MerchantSelect } from '../merchant-select.js';
import { merchantName, useMerchants } from '../merchants.js';
import { NewStubModal } from './new-stub-modal.js';

type Stub = ResponseOf<typeof sandbox.listStubs>['stubs'][number];

export function Page() {
  const [merchantId] = useAddress('merchant');
  const [isAdding, setAdding] = useDialogAddress('new');
  const act = useAct();
  const query = useQuery({
    queryKey: ['listStubs', merchantId],
    queryFn: async () => (await call(sandbox.listStubs, { merchant_id: merchantId })).stubs,
  });
  return (
    <Frame
      title="Stubs"
      description="Responses that you write yourself, for what is missing here or should be otherwise."
      actions={
        <>
          <MerchantSelect hasAll />
          {query.data && query.data.length > 0 && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconTrash size={16} />}
              onClick={() => act(() => call(sandbox.resetStubs, { merchant_id: merchantId }), 'The stubs are removed')}
            >
              Remove all
            </Button>
          )}
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add a stub
          </Button>
        </>
      }
    >
      <QueryView query={query} loading={<LoadingRows rows={6} />}>
        {(stubs) => (stubs.length === 0 ? <NoStubs /> : <Stubs stubs={stubs} />)}
      </QueryView>
      {isAdding && <NewStubModal stub={exampleFor(merchantId)} onClose={() => setAdding(false)} />}
    </Frame>
  );
}

function exampleFor(merchant_id: string | undefined) {
  return {
    ...(merchant_id !== undefined && { merchant_id }),
    request: { method: 'GET', path: '/v2/customers/{id}' },
    response: { body: { customer: { id: '{{request.path.id}}', given_name: 'Amelia' } } },
  };
}

function NoStubs() {
  return (
    <Card>
      <Empty icon={IconReplace} title="No stubs">
        All requests are answered by the server itself. A refused request on the page Requests has the button “Stub
        this”.
      </Empty>
    </Card>
  );
}

function Stubs({ stubs }: { readonly stubs: readonly Stub[] }) {
  return (
    <Stack gap="md" component="ul" data-state="full" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {stubs.map((stub) => (
        <li key={stub.id}>
          <StubCard stub={stub} />
        </li>
      ))}
    </Stack>
  );
}

function StubCard({ stub }: { readonly stub: Stub }) {
  const { data: merchants } = useMerchants();
  const act = useAct();
  const { id, merchant_id, source, used, name, ...shape } = stub;
  const { method, path } = shape.request as { method?: string; path: string };
  const title = `${method ?? 'Any method'} ${path}`;
  const about = [name, merchant_id === undefined ? 'all merchants' : merchantName(merchants, merchant_id), source];
  const isUsedUp = shape.times !== undefined && used >= shape.times;
  return (
    <Card padded>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {about.filter((each) => each !== undefined).join(' · ')}
            </Text>
          </Stack>
          <Group gap="xs" wrap="nowrap">
            <Tag tone={isUsedUp ? 'quiet' : used > 0 ? 'good' : 'quiet'}>
              {shape.times === undefined ? `used ${used}` : `used ${used} of ${shape.times}`}
            </Tag>
            <Tooltip label="Remove">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${title}`}
                onClick={() => act(() => call(sandbox.removeStub, { stub_id: id }), 'The stub is removed')}
              >
                <IconX size={18} />
              </ActionIcon>
            </Tooltip>
          </Group>
        </Group>
        <CodeText text={JSON.stringify(shape, null, 2)} label={`stub ${title}`} />
      </Stack>
    </Card>
  );
}
