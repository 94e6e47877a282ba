/** Prints rows in columns. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const titles = heads.map((head) => head.toUpperCase());
  const widths = titles.map((title, index) =>
    rows.reduce((width, row) => Math.max(width, row[index]?.length ?? 0), title.length),
  );
  for (const row of [titles, ...rows]) {
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
