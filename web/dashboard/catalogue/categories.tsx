/** The categories of the catalogue. */
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import type { Column } from '../../ui/data-table.js';
import { type Category, useCatalogue } from './catalogue-data.js';
import { NameInput } from './part-fields.js';
import { PartTable } from './part-table.js';

interface Draft {
  readonly name: string;
}

function useColumns(): Column<Category>[] {
  const { data } = useCatalogue();
  const count = ({ id }: Category) => data?.items.filter(({ category_id }) => category_id === id).length ?? 0;
  return [
    { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
    { key: 'items', header: 'Items', align: 'right', cell: count, value: count },
  ];
}

export function Categories() {
  return (
    <PartTable<Category, Draft>
      name="Categories"
      noun="category"
      pick={({ categories }) => categories}
      columns={useColumns()}
      explanation="Categories group items at the register and in reports, such as Coffee and Breakfast."
      onDeletion="Its items stay, without a category. Past sales keep the name."
      toDraft={(row) => ({ name: row?.name ?? '' })}
      labels={{ name: 'Name' }}
      fields={(draft, change, errorOf) => (
        <NameInput value={draft.name} onChange={(name) => change({ name })} error={errorOf('name')} />
      )}
      create={(draft) => call(dashboard.createCategory, draft)}
      update={(draft, { id, version }) => call(dashboard.updateCategory, { ...draft, category_id: id, version })}
      remove={(id) => call(dashboard.deleteCategory, { category_id: id })}
    />
  );
}
