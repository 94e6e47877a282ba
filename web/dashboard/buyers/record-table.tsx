/** A table with all records of one kind. It is not shown if there are none. */
import { Stack, Table, Title } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Card } from '../../ui/states.js';

interface RecordTableProps {
  readonly name: string;
  /** The first column has dates, the last one amounts. */
  readonly headers: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
}

export function RecordTable({ name, headers, rows }: RecordTableProps) {
  if (rows.length === 0) return null;
  const alignOf = (column: number) => (column === headers.length - 1 ? 'right' : 'left');
  const wrapping = (column: number): CSSProperties =>
    column === 0 || column === headers.length - 1 ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' };
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {name}
      </Title>
      <Card>
        <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={name} verticalSpacing="xs" horizontalSpacing="sm">
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
                    <Table.Td key={headers[column]} ta={alignOf(column)} style={wrapping(column)}>
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
