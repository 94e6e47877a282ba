/** What deploy/Containerfile says about an image. */
import { readFile } from 'node:fs/promises';

const FILE = new URL('../../deploy/Containerfile', import.meta.url);

/** The lines of a stage, with those of the stages that it begins from. The last stage has no name. */
export async function readStage(name?: 'sandbox'): Promise<string> {
  return stageOf(await readFile(FILE, 'utf8'), name);
}

function stageOf(text: string, name: string | undefined): string {
  const stages = text.split(/^(?=FROM )/m).slice(1);
  const found = stages.findLast((each) => name === undefined || new RegExp(`^FROM \\S+ AS ${name}\n`).test(each)) ?? '';
  const [, base = ''] = /^FROM (\S+)/.exec(found) ?? [];
  return (base.startsWith('$') ? '' : stageOf(text, base)) + found;
}

/** Lines such as NAME=value. */
export function assignments(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^ *(?:ENV )?([A-Z_]+)=(\S*?)(?: \\)?$/gm)].map(([, name, value]) => [name, value]),
  );
}
