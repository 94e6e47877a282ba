/** One application: its id and secret, and its webhook subscriptions. */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { IconMapQuestion } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useSaved } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { BackLink } from '../shell/shell.js';
import { type Application, CLIENT_TYPES } from './applications.js';
import { Subscriptions } from './subscriptions.js';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['listApplications', {}],
    queryFn: () => call(dashboard.listApplications),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {({ applications }) => {
        const application = applications.find((each) => each.id === id);
        return application ? <ApplicationPage application={application} /> : <Unknown />;
      }}
    </QueryView>
  );
}

function Unknown() {
  return (
    <Frame title="Not found" above={<BackLink to="/dashboard/developers">Developers</BackLink>}>
      <Card>
        <Empty icon={IconMapQuestion} title="There is no such application">
          It may belong to another business.
        </Empty>
      </Card>
    </Frame>
  );
}

function ApplicationPage({ application }: { readonly application: Application }) {
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const isConfidential = application.client_type === 'CONFIDENTIAL';
  return (
    <Frame
      title={application.name}
      above={<BackLink to="/dashboard/developers">Developers</BackLink>}
      actions={
        isConfidential && (
          <Button variant="default" onClick={() => setRotating(true)}>
            Replace secret
          </Button>
        )
      }
    >
      <Card padded>
        <Facts
          facts={[
            { name: 'Application id', value: <CopyId id={application.id} label="application id" /> },
            { name: 'Kind', value: CLIENT_TYPES[application.client_type] },
            {
              name: 'Redirect URLs',
              value: application.redirect_urls.map((url) => (
                <Text key={url} ff="monospace" size="sm">
                  {url}
                </Text>
              )),
            },
            { name: 'Registered', value: <Moment at={application.created_at} /> },
          ]}
        />
      </Card>
      <Subscriptions applicationId={application.id} />
      {isRotating && <RotateModal application={application} onClose={() => setRotating(false)} onRotated={setSecret} />}
      {secret !== undefined && (
        <SecretModal title="The new secret" secret={secret} onClose={() => setSecret(undefined)}>
          The old secret is no longer valid.
        </SecretModal>
      )}
    </Frame>
  );
}

interface RotateModalProps {
  readonly application: Application;
  readonly onClose: () => void;
  readonly onRotated: (secret: string) => void;
}

function RotateModal({ application, onClose, onRotated }: RotateModalProps) {
  const saved = useSaved();
  const rotate = async () => {
    const { application_secret } = await call(dashboard.rotateApplicationSecret, { application_id: application.id });
    onRotated(application_secret);
    await saved('The secret is replaced');
  };
  return (
    <ConfirmModal title="Replace the secret?" submitLabel="Replace" danger onClose={onClose} onConfirm={rotate}>
      The current secret of {application.name} becomes invalid at once.
    </ConfirmModal>
  );
}
