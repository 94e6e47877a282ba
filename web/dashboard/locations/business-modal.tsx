/** Edits the profile of the business. */
import { Alert, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { asProblem } from '../../client/problem.js';
import { useDraft } from '../../ui/draft.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconUsers } from '../../ui/icons.js';
import { businessQuery } from '../business.js';
import { useSaved } from '../save.js';

const FIELDS = [
  { name: 'business_name', label: 'Name of the business', required: true, maxLength: 255 },
  { name: 'owner_name', label: 'Owner', required: true, maxLength: 255 },
  { name: 'owner_email', label: 'Email of the owner', required: false, maxLength: 255 },
  { name: 'business_type', label: 'Kind of business', required: true, maxLength: 64 },
  { name: 'language_code', label: 'Language', required: true, maxLength: 6 },
] as const;

export function BusinessModal({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery({ queryKey: businessQuery.queryKey, queryFn: businessQuery.queryFn });
  if (!data) return null;
  const { merchant, profile } = data;
  const current = {
    business_name: merchant.business_name,
    owner_name: profile.owner_name,
    owner_email: profile.owner_email ?? '',
    business_type: profile.business_type,
    language_code: merchant.language_code,
  };
  return <BusinessForm version={profile.version} current={current} onClose={onClose} />;
}

type Values = Readonly<Record<(typeof FIELDS)[number]['name'], string>>;

interface BusinessFormProps {
  readonly version: string;
  readonly current: Values;
  readonly onClose: () => void;
}

function BusinessForm({ version, current, onClose }: BusinessFormProps) {
  const draft = useDraft(version, current);
  const [queries, saved] = [useQueryClient(), useSaved()];
  const save = async () => {
    try {
      const edited = await call(dashboard.updateBusiness, { version: draft.version, ...draft.values });
      queries.setQueryData(businessQuery.queryKey, edited);
    } catch (error) {
      if (asProblem(error).field === 'version') {
        await queries.refetchQueries({ queryKey: businessQuery.queryKey });
      }
      throw error;
    }
    await saved('The business is saved');
  };
  const labelOf = (name: string) => FIELDS.find((field) => field.name === name)?.label ?? name;
  return (
    <FormModal title="Edit the business" submitLabel="Save" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          {draft.foreign.length > 0 && (
            <Alert variant="light" color="yellow" icon={<IconUsers size={20} />} role="status">
              <Text inherit c="var(--mantine-color-text)">
                Somebody else changed:{' '}
                {draft.foreign.map((name) => `${labelOf(name)} to “${current[name]}”`).join(', ')}
              </Text>
            </Alert>
          )}
          {FIELDS.map(({ name, label, required, maxLength }, index) => (
            <TextInput
              key={name}
              label={label}
              required={required}
              maxLength={maxLength}
              {...(name === 'language_code' && { placeholder: 'en-US', description: 'Such as en-US or fr-CA.' })}
              value={draft.values[name]}
              onChange={(event) => draft.set(name, event.currentTarget.value)}
              error={errorOf(name)}
              {...(index === 0 && { 'data-autofocus': true })}
            />
          ))}
        </>
      )}
    </FormModal>
  );
}
