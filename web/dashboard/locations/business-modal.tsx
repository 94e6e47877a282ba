/** Edits the profile of the business. */
import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { businessQuery } from '../business.js';

const FIELDS = [
  { name: 'business_name', label: 'Name of the business', required: true, maxLength: 255 },
  { name: 'owner_name', label: 'Owner', required: true, maxLength: 255 },
  { name: 'owner_email', label: 'Email of the owner', required: false, maxLength: 255 },
  { name: 'business_type', label: 'Kind of business', required: true, maxLength: 64 },
  { name: 'language_code', label: 'Language', required: true, maxLength: 6 },
] as const;

const LABELS = Object.fromEntries(FIELDS.map(({ name, label }) => [name, label])) as Values;

export function BusinessModal({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery({ queryKey: businessQuery.queryKey, queryFn: businessQuery.queryFn });
  return data ? <BusinessForm business={data} onClose={onClose} /> : null;
}

type Values = Readonly<Record<(typeof FIELDS)[number]['name'], string>>;

type Business = Awaited<ReturnType<typeof businessQuery.queryFn>>;

function valuesOf({ merchant, profile }: Business): Values {
  return {
    business_name: merchant.business_name,
    owner_name: profile.owner_name,
    owner_email: profile.owner_email ?? '',
    business_type: profile.business_type,
    language_code: merchant.language_code,
  };
}

interface BusinessFormProps {
  readonly business: Business;
  readonly onClose: () => void;
}

function BusinessForm({ business, onClose }: BusinessFormProps) {
  const edit = useEdit({ values: valuesOf(business), version: business.profile.version });
  const [queries, saved] = [useQueryClient(), useSaved()];
  const save = async () => {
    await edit.save(
      async (values, version) => {
        const edited = await call(dashboard.updateBusiness, { version, ...values });
        queries.setQueryData(businessQuery.queryKey, edited);
      },
      async () => {
        const current = await call(dashboard.retrieveBusiness);
        return { values: valuesOf(current), version: current.profile.version };
      },
    );
    await saved('The business is saved');
  };
  return (
    <FormModal title="Edit the business" submitLabel="Save" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          <EditChanges edit={edit} labels={LABELS} />
          {FIELDS.map(({ name, label, required, maxLength }, index) => (
            <TextInput
              key={name}
              label={label}
              required={required}
              maxLength={maxLength}
              {...(name === 'language_code' && { placeholder: 'en-US', description: 'Such as en-US or fr-CA.' })}
              value={edit.typed[name]}
              onChange={(event) => edit.set(name, event.currentTarget.value)}
              error={errorOf(name)}
              {...(index === 0 && { 'data-autofocus': true })}
            />
          ))}
        </>
      )}
    </FormModal>
  );
}
