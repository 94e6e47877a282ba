/** One location: everything about it that its owner edits. */
import { Button, Group, Paper, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Edit, useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useSaved } from '../../ui/save.js';
import { LoadingBlock } from '../../ui/states.js';
import { BackLink } from '../shell/shell.js';
import { type Details, LABELS, type LocationDraft, printValue, toDraft, toEdit } from './draft.js';
import { HoursInput } from './hours-input.js';
import classes from './location.module.css';
import { OnlineStore } from './online-store.js';
import { type FormPart, Section } from './section.js';
import { Selling } from './selling.js';
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
        {(details) => (
          <Stack gap="lg">
            <LocationForm key={details.location.id} details={details} />
            <OnlineStore locationId={details.location.id} />
          </Stack>
        )}
      </QueryView>
    </Frame>
  );
}

const versioned = (details: Details) => ({ values: toDraft(details), version: details.version });

function LocationForm({ details }: { readonly details: Details }) {
  const edit = useEdit(versioned(details));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [queries, saved] = [useQueryClient(), useSaved()];
  useBlocker({
    shouldBlockFn: () => edit.isChanged && !window.confirm('Leave this page? What you typed is not saved.'),
    enableBeforeUnload: edit.isChanged,
  });
  const key = ['retrieveLocation', { location_id: details.location.id }];
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await edit.save(
        async (values, version) => {
          const edited = await call(dashboard.updateLocation, toEdit(details, version, values));
          queries.setQueryData(key, edited);
        },
        async () => versioned(await call(dashboard.retrieveLocation, { location_id: details.location.id })),
      );
      await saved(`${edit.typed.name} is saved`);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const errorOf = (field: string): string | undefined => (problem?.field === field ? problem.message : undefined);
  const part = { edit, errorOf };
  return (
    <form onSubmit={save}>
      <Stack gap="lg" data-state="full">
        <EditChanges edit={edit} labels={LABELS} print={printValue} />
        <Basics {...part} details={details} />
        <Contact {...part} />
        <Section title="Opening hours" description="When customers can come. A day that ends after midnight is fine.">
          <HoursInput
            value={edit.typed.hours}
            onChange={(hours) => edit.set('hours', hours)}
            error={errorOf('business_hours')}
          />
        </Section>
        <Selling {...part} />
        {problem && <ProblemAlert problem={problem} />}
        <SaveBar edit={edit} isBusy={isBusy} />
      </Stack>
    </form>
  );
}

function Basics({ edit, errorOf, details }: FormPart & { readonly details: Details }) {
  const { typed: values, set } = edit;
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

function Contact({ edit: { typed: values, set }, errorOf }: FormPart) {
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

function SaveBar({ edit, isBusy }: { readonly edit: Edit<LocationDraft>; readonly isBusy: boolean }) {
  if (!edit.isChanged) return null;
  return (
    <Paper withBorder radius="lg" p="sm" shadow="md" className={classes['save'] ?? ''}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Not saved yet
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={edit.discard}>
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
