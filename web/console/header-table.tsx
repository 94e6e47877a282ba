/** The headers of a request or a response. */
import { Stack, Title } from '@mantine/core';
import classes from './header-table.module.css';

interface HeaderTableProps {
  readonly title: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export function HeaderTable({ title, headers }: HeaderTableProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {title}
      </Title>
      <table className={classes['headers']}>
        <tbody>
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header can be there twice, and the list never changes
            <tr key={index}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Stack>
  );
}
