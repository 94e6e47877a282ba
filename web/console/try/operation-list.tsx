/** All operations that programs call. The search finds them by words of their names, paths and summaries. */
import { Group, Text, TextInput } from '@mantine/core';
import { type Search, useAddress } from '../../ui/address.js';
import { IconSearch } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Card, Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import listClasses from '../requests/requests.module.css';
import { type DescribedOperation, SURFACES } from './described.js';
import classes from './try.module.css';

interface OperationListProps {
  readonly operations: readonly DescribedOperation[];
  readonly chosen: string | undefined;
}

const TITLES: Readonly<Record<(typeof SURFACES)[number], string>> = {
  v2: 'Second generation (v2)',
  v1: 'First generation (v1)',
  oauth2: 'OAuth',
  checkout: 'Checkout of online stores',
  register: 'Registers',
  sandbox: 'Sandbox, for its operator',
};

export function OperationList({ operations, chosen }: OperationListProps) {
  const [text = '', setText] = useAddress('text');
  const words = text.toLowerCase().split(/\s+/);
  const found = operations.filter(({ name, path, summary, method }) => {
    const about = `${name} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
  return (
    <Card>
      <Group p="sm" className={listClasses['filters'] ?? ''}>
        <TextInput
          size="xs"
          style={{ flex: 1 }}
          type="search"
          aria-label="Search operations"
          placeholder="Name, path, or what it does"
          maxLength={255}
          leftSection={<IconSearch size={15} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value || undefined)}
        />
      </Group>
      {found.length === 0 ? (
        <Empty icon={IconSearch} title="No such operation">
          No operation has all of these words.
        </Empty>
      ) : (
        <nav className={listClasses['scroll']} aria-label="Operations" data-state="full">
          {SURFACES.map((surface) => (
            <Surface
              key={surface}
              title={TITLES[surface]}
              operations={found.filter((each) => each.surface === surface)}
              chosen={chosen}
            />
          ))}
        </nav>
      )}
    </Card>
  );
}

function Surface({ title, operations, chosen }: OperationListProps & { readonly title: string }) {
  if (operations.length === 0) return null;
  return (
    <>
      <Text component="h2" className={classes['surface'] ?? ''}>
        {title}
      </Text>
      <ul className={listClasses['rows']}>
        {operations.map(({ name, method, path, isDeprecated }) => (
          <li key={name}>
            <Link
              to="."
              search={({ request: _, ...before }: Search) => ({ ...before, operation: name })}
              className={listClasses['row'] ?? ''}
              aria-current={name === chosen}
              ref={name === chosen ? scrollIntoList : null}
              resetScroll={false}
            >
              <Method method={method} />
              <span className={listClasses['what']}>
                <Text span inherit fw={600} truncate>
                  {name}
                </Text>
                <Text span size="xs" c="dimmed" truncate>
                  {path}
                </Text>
              </span>
              {isDeprecated && <Tag tone="quiet">deprecated</Tag>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** For a visit by a link: the chosen row may be far down. React calls it once, when the row appears. */
function scrollIntoList(row: HTMLAnchorElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}

export function Method({ method }: { readonly method: string }) {
  return (
    <Text span ff="monospace" size="xs" fw={650} c={method === 'GET' ? 'dimmed' : 'var(--accent-text)'}>
      {method}
    </Text>
  );
}
