/** One item of the catalogue, new or existing, with its variations. */
import { Alert, Anchor, Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconTags } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';
import { type Business, useBusiness } from '../business.js';
import { useSaved } from '../save.js';
import { BackLink } from '../shell/shell.js';
import { type Catalogue, type Item, isOutdated, useCatalogue } from './catalogue-data.js';
import { Conflict } from './conflict.js';
import { describeItem, type ItemDraft, newDraft, readDraft, toDraft } from './item-draft.js';
import { ItemFields, ItemSettings } from './item-fields.js';
import { type Difference, differencesOf } from './words.js';

const NEW = 'new';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useCatalogue();
  return (
    <QueryView query={query} loading={<LoadingBlock height={420} />}>
      {(catalogue) => {
        const item = catalogue.items.find((each) => each.id === id);
        if (!item && id !== NEW) return <Unknown />;
        return <Editor key={id} item={item} catalogue={catalogue} />;
      }}
    </QueryView>
  );
}

function Unknown() {
  return (
    <Frame title="Item" above={<BackLink to="/dashboard/catalogue">Catalogue</BackLink>}>
      <Card>
        <Empty icon={IconTags} title="There is no such item">
          It may have been deleted.{' '}
          <Anchor component={Link} to="/dashboard/catalogue">
            All items
          </Anchor>
        </Empty>
      </Card>
    </Frame>
  );
}

interface EditorProps {
  readonly item: Item | undefined;
  readonly catalogue: Catalogue;
}

/** What was typed stays until the server has accepted it, whatever is loaded meanwhile. */
function useEditor(item: Item | undefined, catalogue: Catalogue) {
  const business = useBusiness();
  const [draft, setDraft] = useState<ItemDraft>(() => (item ? toDraft(item) : newDraft()));
  const [seen, setSeen] = useState(item);
  const [problem, setProblem] = useState<Problem>();
  const [theirs, setTheirs] = useState<Conflicting>();
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const saved = useSaved();
  const save = async (known: Item | undefined): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setTheirs(undefined);
    try {
      const body = readDraft(draft, business.currency);
      const { item: stored } = known
        ? await call(dashboard.updateItem, { ...body, item_id: known.id, version: known.version })
        : await call(dashboard.createItem, body);
      await saved(`${stored.name} is saved`);
      await navigate({ to: '/dashboard/catalogue' });
    } catch (error) {
      if (!known || !isOutdated(error)) setProblem(asProblem(error));
      else setTheirs(await findConflict(known, business, catalogue, () => call(dashboard.retrieveCatalogue)));
    } finally {
      setBusy(false);
    }
  };
  return {
    draft,
    change: (fields: Partial<ItemDraft>) => setDraft((before) => ({ ...before, ...fields })),
    problem,
    theirs,
    isBusy,
    save: () => save(seen),
    keepMine: () => save(theirs?.item),
    takeTheirs() {
      if (!theirs) return;
      setDraft(toDraft(theirs.item));
      setSeen(theirs.item);
      setTheirs(undefined);
      void queries.invalidateQueries({ queryKey: ['retrieveCatalogue'] });
    },
  };
}

interface Conflicting {
  readonly item: Item;
  readonly differences: readonly Difference[];
}

/** What is saved now, and how it differs from what the editor has seen. */
async function findConflict(
  known: Item,
  business: Business,
  before: Catalogue,
  load: () => Promise<Catalogue>,
): Promise<Conflicting | undefined> {
  const after = await load();
  const item = after.items.find(({ id }) => id === known.id);
  if (!item) return undefined;
  const differences = differencesOf(describeItem(known, before, business), describeItem(item, after, business));
  return { item, differences };
}

function Editor({ item, catalogue }: EditorProps) {
  const { draft, change, problem, theirs, isBusy, save, keepMine, takeTheirs } = useEditor(item, catalogue);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save();
  };
  const errorOf = (field: string) => (problem?.field === field ? problem.message : undefined);
  const saveButton = (
    <Button type="submit" form="item" loading={isBusy}>
      Save item
    </Button>
  );
  return (
    <Frame
      title={item?.name ?? 'New item'}
      above={<BackLink to="/dashboard/catalogue">Catalogue</BackLink>}
      actions={
        <>
          <Button component={Link} to="/dashboard/catalogue" variant="default">
            Cancel
          </Button>
          {saveButton}
        </>
      }
    >
      <form id="item" onSubmit={submit} data-state="full">
        <Stack gap="lg">
          {theirs && <Conflict differences={theirs.differences} onTake={takeTheirs} onKeep={keepMine} />}
          {problem && <ProblemAlert problem={problem} />}
          {draft.archived && (
            <Alert
              variant="light"
              color="gray"
              title="This item is archived"
              styles={{ label: { color: 'var(--mantine-color-text)' } }}
            >
              <Text size="sm" c="var(--mantine-color-text)">
                Registers and stores do not sell it. Past sales keep it.
              </Text>
            </Alert>
          )}
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <ItemFields draft={draft} change={change} catalogue={catalogue} errorOf={errorOf} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <ItemSettings draft={draft} change={change} catalogue={catalogue} errorOf={errorOf} />
            </Grid.Col>
          </Grid>
          <Group justify="flex-end">{saveButton}</Group>
          {item && <ItemFacts item={item} />}
        </Stack>
      </form>
    </Frame>
  );
}

function ItemFacts({ item }: { readonly item: Item }) {
  const { timezoneOf } = useBusiness();
  const time = (text: string) => printTime(text, 'date', timezoneOf(undefined));
  return (
    <Card padded>
      <Title order={2} size="h5" mb="xs">
        Ids
      </Title>
      <Facts
        facts={[
          { name: 'Item', value: <CopyId id={item.id} /> },
          ...item.variations.map(({ id, name }) => ({ name, value: <CopyId id={id} label={`id of ${name}`} /> })),
          { name: 'Created', value: time(item.created_at) },
          { name: 'Changed', value: `${time(item.updated_at)}, version ${item.version}` },
        ]}
      />
    </Card>
  );
}
