/** One item of the catalogue, new or existing, with its variations. */
import { Alert, Anchor, Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { CopyId } from '../../ui/copy-id.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconTags } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useSaved } from '../../ui/save.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { BackLink } from '../shell/shell.js';
import { type Catalogue, type Item, loadCurrent, useCatalogue } from './catalogue-data.js';
import { ITEM_LABELS, type ItemDraft, newDraft, printItemField, readDraft, toDraft } from './item-draft.js';
import { ItemFields, ItemSettings } from './item-fields.js';

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
function useEditor(item: Item | undefined) {
  const { currency } = useBusiness();
  const edit = useEdit<ItemDraft>({
    values: item ? toDraft(item) : newDraft(),
    version: String(item?.version ?? ''),
  });
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();
  const saved = useSaved();
  const send = (draft: ItemDraft, version: string) => {
    const body = readDraft(draft, currency);
    return item
      ? call(dashboard.updateItem, { ...body, item_id: item.id, version: Number(version) })
      : call(dashboard.createItem, body);
  };
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await edit.save(
        async (draft, version) => send(draft, version),
        () => loadCurrent(item?.id ?? '', ({ items }) => items, toDraft),
      );
      await saved(`${edit.typed.name} is saved`);
      await navigate({ to: '/dashboard/catalogue' });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return { edit, problem, isBusy, save };
}

function Editor({ item, catalogue }: EditorProps) {
  const business = useBusiness();
  const { edit, problem, isBusy, save } = useEditor(item);
  const { typed: draft, change } = edit;
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
          {problem && <ProblemAlert problem={problem} />}
          <EditChanges
            edit={edit}
            labels={ITEM_LABELS}
            print={(field, value) => printItemField({ [field]: value }, catalogue, business)}
          />
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
