/** A short list of records, all of them at once. Without any it is not there. */
import { Stack, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../../ui/states.js';

interface RecordTableProps {
  readonly name: string;
  /** The last column has amounts. */
  readonly headers: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
}

export function RecordTable({ name, headers, rows }: RecordTableProps) {
  if (rows.length === 0) return null;
  const alignOf = (column: number) => (column === headers.length - 1 ? 'right' : 'left');
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {name}
      </Title>
      <Card>
        <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={name} verticalSpacing="xs" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                {headers.map((header, column) => (
                  <Table.Th key={header} ta={alignOf(column)}>
                    {header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((cells, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list is read once and never changes
                <Table.Tr key={row}>
                  {cells.map((cell, column) => (
                    <Table.Td key={headers[column]} ta={alignOf(column)} style={{ overflowWrap: 'anywhere' }}>
                      {cell}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
    </Stack>
  );
}
