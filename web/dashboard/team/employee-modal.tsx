/** Creates or edits an employee. */
import { MultiSelect, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { type Employee, employeeName, useBusiness } from '../business.js';
import { useRoles } from './roles-data.js';

interface EmployeeModalProps {
  /** Absent: a new one. */
  readonly employee: Employee | undefined;
  readonly onClose: () => void;
}

const LABELS = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'Email',
  phone_number: 'Phone',
  external_id: 'External id',
  role_id: 'Role',
  location_ids: 'Locations',
} as const;

type Values = { readonly [Field in Exclude<keyof typeof LABELS, 'location_ids'>]: string } & {
  readonly location_ids: readonly string[];
};

function valuesOf(employee: Employee | undefined): Values {
  const { first_name = '', last_name = '', email = '', phone_number = '', external_id = '' } = employee ?? {};
  const { role_id = '', location_ids = [] } = employee ?? {};
  return { first_name, last_name, email, phone_number, external_id, role_id, location_ids };
}

/** An empty field is left out. People type phone numbers with spaces and brackets. */
function toBody({ first_name, location_ids, phone_number, ...texts }: Values) {
  const given = Object.entries({ ...texts, phone_number: phone_number.replaceAll(/[\s().-]/g, '') });
  const filled = Object.fromEntries(
    given.filter(([, text]) => text.trim() !== '').map(([name, text]) => [name, text.trim()]),
  );
  return { ...filled, first_name: first_name.trim(), location_ids: [...location_ids] };
}

export function EmployeeModal({ employee, onClose }: EmployeeModalProps) {
  const business = useBusiness();
  const roles = useRoles();
  const edit = useEdit<Values>({ values: valuesOf(employee), version: employee?.version ?? '' });
  const [isActive, setActive] = useState(true);
  const saved = useSaved();
  const { typed, set } = edit;
  const create = async () => {
    const made = await call(dashboard.createEmployee, { ...toBody(typed), status: isActive ? 'ACTIVE' : 'INACTIVE' });
    await saved(`${employeeName(made.employee)} is on the team`);
  };
  const change = async ({ id }: Employee) => {
    await edit.save(
      (values, version) => call(dashboard.updateEmployee, { employee_id: id, ...toBody(values), version }),
      async () => {
        const found = await call(dashboard.retrieveEmployee, { employee_id: id });
        return { values: valuesOf(found.employee), version: found.employee.version };
      },
    );
    await saved('The employee is changed');
  };
  const print = (field: keyof Values, value: unknown): string => {
    if (field === 'role_id') return roles.nameOf(String(value) || undefined);
    if (field !== 'location_ids') return String(value);
    return (value as readonly string[]).map(business.locationName).join(', ') || 'everywhere';
  };
  return (
    <FormModal
      title={employee ? `Edit ${employeeName(employee)}` : 'Add an employee'}
      submitLabel={employee ? 'Save' : 'Add'}
      onClose={onClose}
      onSubmit={() => (employee ? change(employee) : create())}
    >
      {(errorOf) => {
        const field = (name: Exclude<keyof Values, 'location_ids'>) => ({
          label: LABELS[name],
          maxLength: 255,
          autoComplete: 'off',
          value: typed[name],
          onChange: ({ currentTarget: { value } }: React.ChangeEvent<HTMLInputElement>) => set(name, value),
          error: errorOf(name),
        });
        return (
          <>
            <EditChanges edit={edit} labels={LABELS} print={print} />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput required data-autofocus {...field('first_name')} />
              <TextInput {...field('last_name')} />
              <TextInput type="email" {...field('email')} />
              <TextInput type="tel" placeholder="+1 206 555 0100" {...field('phone_number')} />
            </SimpleGrid>
            <Select
              label={LABELS.role_id}
              placeholder="No role"
              description="What the employee may do at a register besides taking payments."
              data={roles.all.map(({ id, name }) => ({ value: id, label: name }))}
              value={typed.role_id || null}
              onChange={(id) => set('role_id', id ?? '')}
              error={errorOf('role_id')}
              clearable
              searchable={roles.all.length > 8}
            />
            <MultiSelect
              label={LABELS.location_ids}
              placeholder={typed.location_ids.length === 0 ? 'Everywhere' : ''}
              data={business.locations.map(({ id, name }) => ({ value: id, label: name }))}
              value={[...typed.location_ids]}
              onChange={(ids) => set('location_ids', ids)}
              error={errorOf('location_ids')}
              clearable
            />
            <TextInput {...field('external_id')} description="The number in another system, such as payroll." />
            {!employee && (
              <Switch
                label="Active"
                description="Only active employees can sign in at a register."
                checked={isActive}
                onChange={({ currentTarget: { checked } }) => setActive(checked)}
              />
            )}
          </>
        );
      }}
    </FormModal>
  );
}
