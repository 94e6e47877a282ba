/** Columns that both tables about drawers have: where, and who did it at which device. */
import { Text } from '@mantine/core';
import type { Column } from '../../ui/data-table.js';
import { useBusiness, usePeople } from '../business.js';

/** None if there is only one location. */
export function useLocationColumns<Row extends { readonly location_id: string }>(): Column<Row>[] {
  const { locationName, locations } = useBusiness();
  if (locations.length < 2) return [];
  const nameOf = ({ location_id }: Row): string => locationName(location_id);
  return [{ key: 'location', header: 'Location', cell: nameOf, value: nameOf, wide: 'desktop' }];
}

/** The device has a column of its own in the CSV file only. */
export function usePersonColumns<Row>({
  key,
  header,
  person,
  device,
}: {
  readonly key: string;
  readonly header: string;
  readonly person: (row: Row) => string | undefined;
  readonly device: (row: Row) => string;
}): Column<Row>[] {
  const { nameOf } = usePeople();
  return [
    { key: 'device', header: 'Device', cell: () => null, value: device, csvOnly: true },
    {
      key,
      header,
      cell: (row) => (
        <>
          {nameOf(person(row))}
          <Text size="sm" c="dimmed">
            {device(row)}
          </Text>
        </>
      ),
      value: (row) => nameOf(person(row)),
      wide: true,
    },
  ];
}
