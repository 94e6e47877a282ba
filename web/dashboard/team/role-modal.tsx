/** Creates or edits a role: its name, and what it allows at a register. */
import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { FormModal } from '../../ui/form-modal.js';
import {
  ALL_REGISTER_PERMISSIONS,
  describeRole,
  REGISTER_PERMISSION_WORDS,
  WITHOUT_PERMISSION,
} from '../../ui/register-permissions.js';
import { useSaved } from '../../ui/save.js';
import type { Role } from './roles-data.js';

type Permissions = Role['permissions'];

interface Values {
  readonly name: string;
  readonly permissions: Permissions;
  readonly is_owner: boolean;
}

const LABELS = { name: 'Name', permissions: 'Permissions', is_owner: 'Everything' } as const;

/** In the order of the list of permissions, so that two equal sets are equal. */
function inOrder(permissions: readonly string[]): Permissions {
  return ALL_REGISTER_PERMISSIONS.filter((each) => permissions.includes(each)) as Permissions;
}

function valuesOf(role: Role | undefined): Values {
  const { name = '', permissions = [], is_owner = false } = role ?? {};
  return { name, permissions: inOrder(permissions), is_owner };
}

function print(field: keyof Values, value: unknown): string {
  if (field === 'permissions') return describeRole({ permissions: value as Permissions, is_owner: false });
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

export function RoleModal({ role, onClose }: { readonly role: Role | undefined; readonly onClose: () => void }) {
  const edit = useEdit<Values>({ values: valuesOf(role), version: role?.version ?? '' });
  const saved = useSaved();
  const { typed, set } = edit;
  const save = async () => {
    if (role === undefined) {
      await call(dashboard.createRole, { ...typed, permissions: [...typed.permissions] });
      return saved(`The role ${typed.name} is created`);
    }
    await edit.save(
      (values, version) =>
        call(dashboard.updateRole, { role_id: role.id, ...values, permissions: [...values.permissions], version }),
      async () => {
        const found = await call(dashboard.retrieveRole, { role_id: role.id });
        return { values: valuesOf(found.role), version: found.role.version };
      },
    );
    return saved('The role is changed');
  };
  return (
    <FormModal
      title={role ? `Edit ${role.name}` : 'Create a role'}
      submitLabel={role ? 'Save' : 'Create'}
      onClose={onClose}
      onSubmit={save}
    >
      {(errorOf) => (
        <>
          <EditChanges edit={edit} labels={LABELS} print={print} />
          <TextInput
            label="Name"
            required
            maxLength={255}
            value={typed.name}
            onChange={({ currentTarget: { value } }) => set('name', value)}
            error={errorOf('name')}
            data-autofocus
          />
          <Switch
            label="Everything"
            description="All permissions, also those that come later."
            checked={typed.is_owner}
            onChange={({ currentTarget: { checked } }) => set('is_owner', checked)}
          />
          <Checkbox.Group
            label="May at the register"
            description={WITHOUT_PERMISSION}
            value={typed.is_owner ? [...ALL_REGISTER_PERMISSIONS] : [...typed.permissions]}
            onChange={(chosen) => set('permissions', inOrder(chosen))}
            error={errorOf('permissions')}
          >
            <Stack gap="xs" mt="xs">
              {ALL_REGISTER_PERMISSIONS.map((permission) => (
                <Checkbox
                  key={permission}
                  value={permission}
                  label={REGISTER_PERMISSION_WORDS[permission]}
                  disabled={typed.is_owner}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </>
      )}
    </FormModal>
  );
}
