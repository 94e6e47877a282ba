/** A tab of the catalogue with one kind of records: a table, a dialog to create and edit, and one to delete. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconPlus, IconTags } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { useSaved } from '../save.js';
import { type Catalogue, isOutdated, useCatalogue, useCatalogueList } from './catalogue-data.js';
import { differencesOf, explainDifferences } from './words.js';

interface Record {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

interface PartTableProps<Row extends Record, Draft> {
  /** The name of the table, such as Taxes. */
  readonly name: string;
  /** One of them, such as tax. */
  readonly noun: string;
  readonly pick: (catalogue: Catalogue) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What this is, and what to do first. */
  readonly explanation: string;
  /** What deleting one means. */
  readonly onDeletion: string;
  readonly toDraft: (row: Row | undefined) => Draft;
  /** The fields in words, to show what somebody else changed. */
  readonly describe: (row: Row) => Readonly<globalThis.Record<string, string>>;
  readonly fields: (
    draft: Draft,
    change: (fields: Partial<Draft>) => void,
    errorOf: (field: string) => string | undefined,
  ) => ReactNode;
  readonly create: (draft: Draft) => Promise<unknown>;
  readonly update: (draft: Draft, row: Row) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
}

export function PartTable<Row extends Record, Draft extends object>(props: PartTableProps<Row, Draft>) {
  const { name, noun, pick, columns, explanation, onDeletion, remove } = props;
  const list = useCatalogueList(pick);
  const [edited, setEdited] = useState<{ readonly row: Row | undefined }>();
  const [deleting, setDeleting] = useState<Row>();
  const saved = useSaved();
  const newButton = (
    <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setEdited({ row: undefined })}>
      New {noun}
    </Button>
  );
  return (
    <>
      <DataTable
        name={name}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={(row) => row.name}
        actions={[
          { label: 'Edit', run: (row) => setEdited({ row }) },
          { label: 'Delete', danger: true, run: setDeleting },
        ]}
        filters={list.rows && list.rows.length > 0 && newButton}
        empty={
          <Empty icon={IconTags} title={`No ${noun} yet`} action={newButton}>
            {explanation}
          </Empty>
        }
      />
      {edited && <EditModal {...props} row={edited.row} onClose={() => setEdited(undefined)} />}
      {deleting && (
        <ConfirmModal
          title={`Delete ${deleting.name}?`}
          submitLabel="Delete"
          danger
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await remove(deleting.id);
            await saved(`${deleting.name} is deleted`);
          }}
        >
          {onDeletion}
        </ConfirmModal>
      )}
    </>
  );
}

type EditModalProps<Row extends Record, Draft> = PartTableProps<Row, Draft> & {
  readonly row: Row | undefined;
  readonly onClose: () => void;
};

function EditModal<Row extends Record, Draft extends object>({
  row,
  noun,
  pick,
  toDraft,
  describe,
  fields,
  create,
  update,
  onClose,
}: EditModalProps<Row, Draft>) {
  const [draft, setDraft] = useState(() => toDraft(row));
  const [seen, setSeen] = useState(row);
  const catalogue = useCatalogue();
  const saved = useSaved();
  const save = async (): Promise<void> => {
    try {
      await (seen ? update(draft, seen) : create(draft));
    } catch (error) {
      if (!seen || !isOutdated(error)) throw error;
      const { data } = await catalogue.refetch();
      const current = data && pick(data).find(({ id }) => id === seen.id);
      if (!current) throw error;
      setSeen(current);
      throw new Error(explainDifferences(differencesOf(describe(seen), describe(current))));
    }
    await saved(seen ? `The ${noun} is saved` : `The ${noun} is created`);
  };
  return (
    <FormModal
      title={row ? `Edit ${row.name}` : `New ${noun}`}
      submitLabel={row ? 'Save' : 'Create'}
      onClose={onClose}
      onSubmit={save}
    >
      {(errorOf) => fields(draft, (changed) => setDraft((before) => ({ ...before, ...changed })), errorOf)}
    </FormModal>
  );
}
