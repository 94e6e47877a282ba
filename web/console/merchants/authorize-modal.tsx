/** Authorizes an application for a merchant without a browser. A new application can be registered on the way. */
import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Permission } from '../../../src/identity/permissions.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { PermissionChoice } from './permission-choice.js';

const NEW = 'new';

interface AuthorizeModalProps {
  readonly merchantId: string;
  readonly onClose: () => void;
  readonly onAuthorized: (tokens: string) => void;
}

export function AuthorizeModal({ merchantId, onClose, onAuthorized }: AuthorizeModalProps) {
  const [application, setApplication] = useState(NEW);
  const [name, setName] = useState('My application');
  const [permissions, setPermissions] = useState<readonly Permission[]>([]);
  const saved = useSaved();
  const { data: known = [] } = useQuery({
    queryKey: ['listApplications'],
    queryFn: async () => (await call(sandbox.listApplications, { limit: 200 })).applications,
  });
  const authorize = async () => {
    const registered = application === NEW ? await call(sandbox.createApplication, { name }) : undefined;
    const { access_token, refresh_token } = await call(sandbox.createAuthorization, {
      merchant_id: merchantId,
      application_id: registered?.application.id ?? application,
      ...(permissions.length > 0 && { permissions: [...permissions] }),
    });
    const secrets = {
      ...(registered && {
        application_id: registered.application.id,
        application_secret: registered.application_secret,
      }),
      access_token,
      refresh_token,
    };
    onAuthorized(JSON.stringify(secrets, null, 2));
    await saved('The application is authorized');
  };
  return (
    <FormModal title="Authorize an application" submitLabel="Authorize" onClose={onClose} onSubmit={authorize}>
      {(errorOf) => (
        <>
          <Select
            label="Application"
            data={[
              { value: NEW, label: 'A new one' },
              ...known.map(({ id, name: label }) => ({ value: id, label: `${label} · ${id}` })),
            ]}
            value={application}
            allowDeselect={false}
            searchable
            onChange={(chosen) => setApplication(chosen ?? NEW)}
          />
          {application === NEW && (
            <TextInput
              label="Its name"
              required
              maxLength={255}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={errorOf('name')}
            />
          )}
          <PermissionChoice
            merchantId={merchantId}
            value={permissions}
            onChange={setPermissions}
            error={errorOf('permissions')}
          />
        </>
      )}
    </FormModal>
  );
}
