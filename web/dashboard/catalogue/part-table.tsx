/** A tab of the catalogue with one kind of records: a table, a dialog to create and edit, and one to delete. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconPlus, IconTags } from '../../ui/icons.js';
import { useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { type Catalogue, loadCurrent, useCatalogueList } from './catalogue-data.js';

interface Record {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

interface PartTableProps<Row extends Record, Draft> {
  /** The name of the table, such as Taxes. */
  readonly name: string;
  /** The word for one record, such as tax. */
  readonly noun: string;
  readonly pick: (catalogue: Catalogue) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What the empty table says: what this is, and what to do first. */
  readonly explanation: string;
  /** What deleting a record means. */
  readonly onDeletion: string;
  readonly toDraft: (row: Row | undefined) => Draft;
  readonly labels: Readonly<globalThis.Record<keyof Draft & string, string>>;
  /** A field in words, to show what somebody else changed. */
  readonly print?: (field: keyof Draft & string, value: unknown) => string;
  readonly fields: (
    draft: Draft,
    change: (fields: Partial<Draft>) => void,
    errorOf: (field: string) => string | undefined,
  ) => ReactNode;
  readonly create: (draft: Draft) => Promise<unknown>;
  readonly update: (draft: Draft, row: Pick<Row, 'id' | 'version'>) => Promise<unknown>;
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

function printValue(_: string, value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');
}

function EditModal<Row extends Record, Draft extends object>({
  row,
  noun,
  pick,
  toDraft,
  labels,
  print = printValue,
  fields,
  create,
  update,
  onClose,
}: EditModalProps<Row, Draft>) {
  const edit = useEdit<Draft>({ values: toDraft(row), version: String(row?.version ?? '') });
  const saved = useSaved();
  const save = async (): Promise<void> => {
    if (row) {
      const { id } = row;
      await edit.save(
        (draft, version) => update(draft, { id, version: Number(version) }),
        () => loadCurrent(id, pick, toDraft),
      );
    } else await create(edit.typed);
    await saved(row ? `The ${noun} is saved` : `The ${noun} is created`);
  };
  return (
    <FormModal
      title={row ? `Edit ${row.name}` : `New ${noun}`}
      submitLabel={row ? 'Save' : 'Create'}
      onClose={onClose}
      onSubmit={save}
    >
      {(errorOf) => (
        <>
          <EditChanges edit={edit} labels={labels} print={print} />
          {fields(edit.typed, edit.change, errorOf)}
        </>
      )}
    </FormModal>
  );
}
