/** Finds all required fields that a body or a query lacks, so that a program is told of them at once and not one by one. */

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
}

/** The names with their places, such as `amount_money.currency`, each once. An element of a list has the name of the list. */
export function missingFields(schema: unknown, value: unknown): readonly string[] {
  return [...new Set(find(schema as SchemaNode, value, ''))];
}

function find({ properties = {}, required = [], items }: SchemaNode, value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return items ? value.flatMap((each) => find(items, each, path)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const given = value as Readonly<Record<string, unknown>>;
  const place = path === '' ? '' : `${path}.`;
  return Object.entries(properties).flatMap(([name, node]) => {
    if (Object.hasOwn(given, name)) return find(node, given[name], place + name);
    return required.includes(name) ? [place + name] : [];
  });
}
