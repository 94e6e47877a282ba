/** The business, its locations, and the settings of its registers. */

import { Button, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { printAddress } from '../../../src/base/postal-address.js';
import { useDialogAddress } from '../../ui/address.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { IconPlus } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Page as Frame } from '../../ui/page.js';
import { Card } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { businessQuery, type Location, useBusiness } from '../business.js';
import { BusinessModal } from './business-modal.js';
import classes from './location.module.css';
import { NewLocationModal } from './new-location-modal.js';
import { RegisterSettings } from './register-settings.js';

export function Page() {
  const { name, locations } = useBusiness();
  const [isAdding, setAdding] = useDialogAddress('new');
  const add = (
    <Button leftSection={<IconPlus size={18} />} onClick={() => setAdding(true)}>
      Add a location
    </Button>
  );
  return (
    <Frame title="Locations" description={`The places where ${name} sells, each with its own time zone.`} actions={add}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" data-state="full">
        {locations.map((location) => (
          <LocationCard key={location.id} location={location} />
        ))}
      </SimpleGrid>
      <BusinessProfile />
      <RegisterSettings />
      {isAdding && <NewLocationModal onClose={() => setAdding(false)} />}
    </Frame>
  );
}

function BusinessProfile() {
  const { data } = useQuery({ queryKey: businessQuery.queryKey, queryFn: businessQuery.queryFn });
  const [isEditing, setEditing] = useState(false);
  if (!data) return null;
  const { merchant, profile } = data;
  const facts = [
    { name: 'Name', value: merchant.business_name },
    { name: 'Owner', value: profile.owner_name },
    { name: 'Email', value: profile.owner_email },
    { name: 'Kind', value: profile.business_type },
    { name: 'Language', value: merchant.language_code },
    { name: 'Country, currency', value: `${merchant.country}, ${merchant.currency}` },
    { name: 'Id', value: <CopyId id={merchant.id} /> },
  ];
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Business
        </Title>
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Edit the business
        </Button>
      </Group>
      <Card padded>
        <Facts facts={facts.filter(({ value }) => value)} />
      </Card>
      {isEditing && <BusinessModal onClose={() => setEditing(false)} />}
    </Stack>
  );
}

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** Days with the same hours in one line. */
function printHours({ business_hours }: Location): string[] {
  const byHours = new Map<string, string[]>();
  for (const { day_of_week, start_local_time, end_local_time } of business_hours?.periods ?? []) {
    const hours = `${start_local_time.slice(0, 5)}–${end_local_time.slice(0, 5)}`;
    byHours.set(hours, [...(byHours.get(hours) ?? []), day_of_week]);
  }
  return [...byHours].map(([hours, days]) => `${printDays(days)} ${hours}`);
}

function printDays(days: readonly string[]): string {
  const sorted = DAYS.filter((day) => days.includes(day)).map((day) => day[0] + day.slice(1).toLowerCase());
  return sorted.length > 2 ? `${sorted[0]}–${sorted.at(-1)}` : sorted.join(', ');
}

function LocationCard({ location }: { readonly location: Location }) {
  const hours = printHours(location);
  const facts = [
    { name: 'Address', value: printAddress(location.address ?? {}).join(', ') },
    { name: 'Time zone', value: location.timezone },
    { name: 'Phone', value: location.phone_number },
    { name: 'Email', value: location.business_email },
    { name: 'Hours', value: hours.length > 0 && hours.map((line) => <div key={line}>{line}</div>) },
    { name: 'Id', value: <CopyId id={location.id} /> },
  ];
  return (
    <Card padded>
      <Group justify="space-between" mb="xs" gap="xs" wrap="nowrap" align="flex-start">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          <Link to={`/dashboard/locations/${location.id}`} className={classes['cardLink'] ?? ''}>
            {location.name}
          </Link>
        </Title>
        <Group gap="xs" wrap="nowrap">
          {location.status === 'INACTIVE' && <Tag tone="quiet">Closed</Tag>}
          <Link
            to={`/dashboard/locations/${location.id}`}
            className={classes['edit'] ?? ''}
            aria-label={`Edit ${location.name}`}
          >
            Edit
          </Link>
        </Group>
      </Group>
      <Facts facts={facts.filter(({ value }) => value)} />
    </Card>
  );
}
