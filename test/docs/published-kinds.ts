/** The kinds of events of the published interface, as the installed client describes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER = join(dirname(createRequire(import.meta.url).resolve('square')), 'api', 'types');

/** In alphabetical order. */
export function listPublishedKinds(): readonly string[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('Event.d.ts') && name !== 'Event.d.ts');
  const kinds = files.flatMap((name) => kindOf(name, readFileSync(join(FOLDER, name), 'utf8')));
  return [...new Set(kinds)].sort();
}

/** What the comment at `type` says. A few comments do not say it: there the name of the type does. */
function kindOf(file: string, text: string): readonly string[] {
  if (!text.includes('eventId?')) return []; // a record of another kind, such as the event of a cash drawer
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*type\?/.exec(text) ?? [];
  const [, said] = /["`]([a-z_]+(?:\.[a-z_]+)+)\.?["`]/.exec(comment) ?? [];
  const words = file.replace('Event.d.ts', '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '.');
  return [said ?? words.toLowerCase()];
}
