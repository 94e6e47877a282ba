/** One request: what was sent, what came back, what it changed, and what to do with it. */
import { Button, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useChangeAddress } from '../../ui/address.js';
import { CodeText } from '../../ui/code-text.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconCheck, IconCode, IconCopy, IconPencil, IconRefresh, IconReplace } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { BackToList } from '../back-to-list.js';
import { HeaderTable } from '../header-table.js';
import { merchantName, useMerchants } from '../merchants.js';
import { StatusBadge } from '../status-badge.js';
import { NewStubModal } from '../stubs/new-stub-modal.js';
import { SURFACES as TRIED } from '../try/described.js';
import { Followed } from './followed.js';
import { Notes } from './notes.js';
import { SENDER_WORDS } from './request-rows.js';
import classes from './requests.module.css';

type Found = ResponseOf<typeof sandbox.retrieveRequest>['request'];

interface RequestDetailProps {
  /** Undefined: there is none. */
  readonly id: string | undefined;
  /** False: no request was chosen, and this is the newest one. */
  readonly isChosen: boolean;
}

export function RequestDetail({ id, isChosen }: RequestDetailProps) {
  const query = useQuery({
    queryKey: ['retrieveRequest', id],
    queryFn: async () => (await call(sandbox.retrieveRequest, { request_id: id ?? '' })).request,
    enabled: id !== undefined,
  });
  if (id === undefined) {
    return (
      <Card>
        <Empty icon={IconCode} title="No request is chosen">
          Choose one on the left to see its headers and bodies, what it changed, and the events that followed.
        </Empty>
      </Card>
    );
  }
  return (
    <Card>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={classes['detail']} tabIndex={0} aria-label={isChosen ? 'Request' : 'The newest request'}>
        <QueryView query={query} loading={<LoadingBlock height={420} />}>
          {(request) => <Detail request={request} />}
        </QueryView>
      </section>
    </Card>
  );
}

const notImplemented = ({ not_implemented: name }: Found): string | undefined =>
  name === undefined ? undefined : `Not implemented: ${name}`;

function Detail({ request }: { readonly request: Found }) {
  const { data: merchants } = useMerchants();
  const change = useChangeAddress();
  return (
    <Stack gap="lg" p="lg">
      <Stack gap="sm">
        <BackToList label="All requests" onClick={() => change({ request: undefined })} />
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <StatusBadge status={request.status} />
          <Title order={2} size="1.125rem" style={{ overflowWrap: 'anywhere' }}>
            {request.operation ?? notImplemented(request) ?? 'Nothing is at this path'}
          </Title>
        </Group>
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {request.method} {request.path}
        </Text>
        {request.error !== undefined && (
          <Text c="var(--danger-text)" style={{ overflowWrap: 'anywhere' }}>
            {request.error}
          </Text>
        )}
        <Actions request={request} />
      </Stack>
      <Notes notes={request.notes} />
      <Facts
        facts={[
          { name: 'Time', value: <Moment at={request.at} style="long" /> },
          { name: 'Duration', value: `${request.duration_ms} ms` },
          ...(request.merchant_id === undefined
            ? []
            : [
                {
                  name: 'Merchant',
                  value: (
                    <TextLink to={`/console/merchants/${request.merchant_id}`}>
                      {merchantName(merchants, request.merchant_id)}
                    </TextLink>
                  ),
                },
              ]),
          ...(request.application_id === undefined
            ? []
            : [{ name: 'Application', value: <CopyId id={request.application_id} label="application id" /> }]),
          ...(request.sent_by === undefined ? [] : [{ name: 'Sent by', value: SENDER_WORDS[request.sent_by] }]),
          ...(request.fault === undefined ? [] : [{ name: 'Injected fault', value: request.fault }]),
          ...(request.stub === undefined
            ? []
            : [{ name: 'Stub', value: <CopyId id={request.stub} label="stub id" /> }]),
          { name: 'Request id', value: <CopyId id={request.id} label="request id" /> },
        ]}
      />
      <Followed request={request} />
      <Part title="Request body" body={request.request_body} none="No body was sent, or it was not read." />
      <Part title="Response body" body={request.response_body} none="There is no body." />
      <HeaderTable title="Request headers" headers={request.request_headers} />
      <HeaderTable title="Response headers" headers={request.response_headers} />
    </Stack>
  );
}

function Actions({ request }: { readonly request: Found }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [isStubbing, setStubbing] = useState(false);
  const change = useChangeAddress();
  const queries = useQueryClient();
  const resend = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { request: sent } = await call(sandbox.resendRequest, { request_id: request.id });
      await queries.invalidateQueries({ queryKey: ['listRequests'] });
      change({ request: sent.id });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<IconRefresh size={16} />}
          loading={isBusy}
          disabled={!request.can_be_resent}
          onClick={resend}
        >
          Send again
        </Button>
        <TryButton request={request} />
        <CopyButton value={request.curl}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy as curl'}
            </Button>
          )}
        </CopyButton>
        {(request.status >= 400 || request.operation === undefined) && (
          <Button size="xs" variant="default" leftSection={<IconReplace size={16} />} onClick={() => setStubbing(true)}>
            Stub this
          </Button>
        )}
      </Group>
      {isStubbing && <NewStubModal stub={stubFor(request)} onClose={() => setStubbing(false)} />}
      {problem && <ProblemAlert problem={problem} />}
    </>
  );
}

/** Opens the request in *Try it*, where it can be changed. */
function TryButton({ request: { id, operation, merchant_id: merchant } }: { readonly request: Found }) {
  if (operation === undefined || !TRIED.some((surface) => operation.startsWith(`${surface}.`))) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPencil size={16} />}
      component={Link}
      to="/console/try"
      search={{ operation, request: id, ...(merchant !== undefined && { merchant }) }}
    >
      Change and send
    </Button>
  );
}

/** A stub that would have answered the request. */
function stubFor({ merchant_id, method, path }: Found) {
  return {
    ...(merchant_id !== undefined && { merchant_id }),
    request: { method, path: path.split('?', 1)[0] },
    response: { status: 200, body: {} },
  };
}

interface PartProps {
  readonly title: string;
  readonly body: Found['request_body'];
  readonly none: string;
}

function Part({ title, body, none }: PartProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {title}
      </Title>
      {body === undefined ? <Text c="dimmed">{none}</Text> : <CodeText text={body.text} label={title.toLowerCase()} />}
      {body?.is_cut && (
        <Text size="sm" c="dimmed">
          Only the beginning of this body was kept.
        </Text>
      )}
    </Stack>
  );
}
