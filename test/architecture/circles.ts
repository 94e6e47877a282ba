/** Finds files that import each other in a circle. */
import type { Source } from './sources.js';

/** The circles of imports, types included. Each ends with the file with which it begins. */
export function circlesIn(among: readonly Source[]): string[] {
  const byPath = new Map(among.map((source) => [source.path, source]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (above.includes(path) || done.has(path)) return;
    // An import ends in .js, whether the file ends in .ts or in .tsx.
    for (const { to } of byPath.get(path)?.imports ?? []) visit(byPath.has(`${to}x`) ? `${to}x` : to, [...above, path]);
    done.add(path);
  };
  for (const { path } of among) visit(path, []);
  return circles;
}
