/** One location: everything about it that its owner edits. */
import {
  Alert,
  Button,
  Chip,
  Group,
  List,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useParams } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Draft, useDraft } from '../../ui/draft.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconUsers } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { PictureInput } from '../../ui/picture-input.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { useSaved } from '../save.js';
import { BackLink } from '../shell/shell.js';
import { type Details, LABELS, type LocationDraft, toDraft, toEdit } from './draft.js';
import { HoursInput } from './hours-input.js';
import classes from './location.module.css';
import { TimezoneSelect } from './timezone-select.js';

export function Page() {
  const { id = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['retrieveLocation', { location_id: id }],
    queryFn: () => call(dashboard.retrieveLocation, { location_id: id }),
  });
  return (
    <Frame
      title={query.data?.location.name ?? 'Location'}
      above={<BackLink to="/dashboard/locations">Locations</BackLink>}
    >
      <QueryView query={query} loading={<LoadingBlock height={420} />}>
        {(details) => <LocationForm key={details.location.id} details={details} />}
      </QueryView>
    </Frame>
  );
}

interface FormPart {
  readonly draft: Draft<LocationDraft>;
  readonly errorOf: (field: string) => string | undefined;
}

function LocationForm({ details }: { readonly details: Details }) {
  const draft = useDraft(details.version, toDraft(details));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [queries, saved] = [useQueryClient(), useSaved()];
  useBlocker({
    shouldBlockFn: () => draft.isChanged && !window.confirm('Leave this page? What you typed is not saved.'),
    enableBeforeUnload: draft.isChanged,
  });
  const key = ['retrieveLocation', { location_id: details.location.id }];
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const edited = await call(dashboard.updateLocation, toEdit(details, draft.version, draft.values));
      queries.setQueryData(key, edited);
      await saved(`${edited.location.name} is saved`);
    } catch (error) {
      const found = asProblem(error);
      if (found.field === 'version') await queries.refetchQueries({ queryKey: key });
      setProblem(found);
    } finally {
      setBusy(false);
    }
  };
  const errorOf = (field: string): string | undefined => (problem?.field === field ? problem.message : undefined);
  const part = { draft, errorOf };
  return (
    <form onSubmit={save}>
      <Stack gap="lg" data-state="full">
        <ForeignChanges draft={draft} />
        <Basics {...part} details={details} />
        <Contact {...part} />
        <Section title="Opening hours" description="When customers can come. A day that ends after midnight is fine.">
          <HoursInput
            value={draft.values.hours}
            onChange={(hours) => draft.set('hours', hours)}
            error={errorOf('business_hours')}
          />
        </Section>
        <Selling {...part} />
        {problem && problem.field !== 'version' && <ProblemAlert problem={problem} />}
        <SaveBar draft={draft} isBusy={isBusy} />
      </Stack>
    </form>
  );
}

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, description, children }: SectionProps) {
  return (
    <Card padded>
      <Title order={2} size="h4" mb={description ? 2 : 'md'}>
        {title}
      </Title>
      {description && (
        <Text c="dimmed" size="sm" mb="md">
          {description}
        </Text>
      )}
      {children}
    </Card>
  );
}

/** Fields that were typed into keep what was typed. */
function ForeignChanges({ draft: { foreign, values, isChanged } }: { readonly draft: Draft<LocationDraft> }) {
  if (foreign.length === 0) return null;
  return (
    <Alert variant="light" color="yellow" icon={<IconUsers size={20} />} role="status">
      <Text fw={600} mb={4} c="var(--mantine-color-text)">
        Somebody else changed this location
      </Text>
      <List size="sm" c="var(--mantine-color-text)">
        {foreign.map((name) => (
          <List.Item key={name}>
            {LABELS[name] ?? name}
            {typeof values[name] === 'string' && <>: {values[name]}</>}
          </List.Item>
        ))}
      </List>
      {isChanged && (
        <Text size="sm" mt="xs" c="var(--mantine-color-text)">
          What you typed is still there. Saving replaces what is above with what you see below.
        </Text>
      )}
    </Alert>
  );
}

function Basics({ draft, errorOf, details }: FormPart & { readonly details: Details }) {
  const { values, set } = draft;
  return (
    <Section title="Location">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            required
            maxLength={255}
            value={values.name}
            onChange={(event) => set('name', event.currentTarget.value)}
            error={errorOf('name')}
          />
          <TimezoneSelect
            value={values.timezone}
            onChange={(timezone) => set('timezone', timezone)}
            isFixed={!details.timezone_can_change}
            description={
              details.timezone_can_change
                ? 'Decides when a day begins and closes. It is fixed after the first sale.'
                : 'It is fixed since the first sale: closed days and reports depend on it.'
            }
            error={errorOf('timezone')}
          />
        </SimpleGrid>
        <Switch
          label="Open for business"
          description="A closed location keeps its history, and is not offered for new devices."
          checked={values.isActive}
          onChange={(event) => set('isActive', event.currentTarget.checked)}
        />
        <Text size="sm" c="dimmed" component="div">
          <CopyId id={details.location.id} />
        </Text>
      </Stack>
    </Section>
  );
}

const CONTACT = [
  { name: 'line1', field: 'address.address_line_1', max: 500 },
  { name: 'line2', field: 'address.address_line_2', max: 500 },
  { name: 'city', field: 'address.locality', max: 500 },
  { name: 'state', field: 'address.administrative_district_level_1', max: 500 },
  { name: 'postalCode', field: 'address.postal_code', max: 500 },
  { name: 'phone', field: 'phone_number', max: 64 },
  { name: 'email', field: 'business_email', max: 255 },
  { name: 'website', field: 'website_url', max: 1000 },
] as const;

function Contact({ draft: { values, set }, errorOf }: FormPart) {
  return (
    <Section title="Address and contact" description="Customers see it on receipts.">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {CONTACT.map(({ name, field, max }) => (
          <TextInput
            key={name}
            label={LABELS[name]}
            type={name === 'email' ? 'email' : name === 'website' ? 'url' : 'text'}
            maxLength={max}
            value={values[name]}
            onChange={(event) => set(name, event.currentTarget.value)}
            error={errorOf(field)}
          />
        ))}
      </SimpleGrid>
    </Section>
  );
}

const TIPS = [5, 10, 12, 15, 18, 20, 22, 25, 30];
const MAX_TIPS = 4;

function Selling({ draft: { values, set }, errorOf }: FormPart) {
  const tips = [...new Set([...TIPS, ...values.tips])].toSorted((one, other) => one - other);
  return (
    <Section title="Receipts, tips and tax" description="What the registers of this location offer and print.">
      <Stack gap="lg">
        <PictureInput
          label="Logo on receipts"
          description="PNG, JPEG or WebP. It is printed at the top."
          value={values.logo ?? undefined}
          onChange={(picture) => set('logo', picture ?? null)}
          error={errorOf('picture_id')}
        />
        <Textarea
          label="Text on receipts"
          description="Printed at the end, such as opening hours or “Thank you”."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={1000}
          value={values.receiptText}
          onChange={(event) => set('receiptText', event.currentTarget.value)}
          error={errorOf('receipt_text')}
        />
        <Stack gap={6} role="group" aria-labelledby="tips">
          <Text id="tips" size="sm" fw={600}>
            Tips that are offered
          </Text>
          <Text size="xs" c="dimmed">
            Up to four. Without any, registers do not ask for a tip.
          </Text>
          <Chip.Group
            multiple
            value={values.tips.map(String)}
            onChange={(chosen) =>
              set(
                'tips',
                chosen.map(Number).toSorted((one, other) => one - other),
              )
            }
          >
            <Group gap="xs">
              {tips.map((tip) => (
                <Chip
                  key={tip}
                  value={String(tip)}
                  disabled={values.tips.length >= MAX_TIPS && !values.tips.includes(tip)}
                >
                  {tip} %
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Stack>
        <TaxInput value={values.tax} onChange={(tax) => set('tax', tax)} errorOf={errorOf} />
      </Stack>
    </Section>
  );
}

interface TaxInputProps {
  readonly value: LocationDraft['tax'];
  readonly onChange: (value: LocationDraft['tax']) => void;
  readonly errorOf: FormPart['errorOf'];
}

function TaxInput({ value, onChange, errorOf }: TaxInputProps) {
  return (
    <Stack gap="sm">
      <Switch
        label="Sales tax on free amounts"
        description="For what is sold without an item of the catalogue."
        checked={value !== null}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked ? { name: 'Sales tax', percentage: '', isIncluded: false } : null)
        }
      />
      {value && (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput
            label="Name of the tax"
            required
            maxLength={255}
            value={value.name}
            onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
            error={errorOf('sales_tax.name')}
          />
          <TextInput
            label="Rate in percent"
            required
            inputMode="decimal"
            placeholder="8.875"
            pattern="[0-9]{1,2}([.][0-9]{1,5})?"
            title="A number such as 8.875"
            value={value.percentage}
            onChange={(event) => onChange({ ...value, percentage: event.currentTarget.value.replace(',', '.') })}
            error={errorOf('sales_tax.percentage')}
          />
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              Prices
            </Text>
            <SegmentedControl
              aria-label="Prices"
              data={[
                { value: 'added', label: 'Without tax' },
                { value: 'included', label: 'Include tax' },
              ]}
              value={value.isIncluded ? 'included' : 'added'}
              onChange={(chosen) => onChange({ ...value, isIncluded: chosen === 'included' })}
            />
          </Stack>
        </SimpleGrid>
      )}
    </Stack>
  );
}

function SaveBar({ draft, isBusy }: { readonly draft: Draft<LocationDraft>; readonly isBusy: boolean }) {
  if (!draft.isChanged) return null;
  return (
    <Paper withBorder radius="lg" p="sm" shadow="md" className={classes['save'] ?? ''}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Not saved yet
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={draft.discard}>
            Discard
          </Button>
          <Button type="submit" loading={isBusy}>
            Save
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
