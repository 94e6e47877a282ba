/** The pages of docs/languages: the test of each is saved and run beside a sandbox, as it is written. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { ensurePrograms, findProgram } from '../support/debian-programs.js';
import { newProject } from '../support/npx.js';
import { migratedDataDir, Program } from '../support/process.js';

const FOLDER = join(repository, 'docs/languages');
/** For a busy machine: some compile first. */
const TIME_LIMIT_MS = 240_000;

/** What a test prints at its end, by the program that runs it. */
const ENDS: Readonly<Record<string, RegExp>> = {
  python3: /Ran 2 tests in [\s\S]*\nOK\n$/,
  java: /^2 tests passed\n$/,
  go: /^ok\s+command-line-arguments\s/m,
  php: /^2 tests passed\n$/,
  ruby: /^2 tests passed\n$/,
  dotnet: /^2 tests passed\n$/,
};

/** Small packages of Debian. Go and .NET are large: their tests run where they are installed. */
const INSTALLED = ['php', 'ruby'];

interface Recipe {
  readonly page: string;
  /** The file that the reader saves. */
  readonly file: string;
  readonly code: string;
  /** What makes the project in which it is saved; empty: nothing. */
  readonly prepare: string;
  /** What follows `npx tillhouse exec --`. */
  readonly command: readonly string[];
}

/** Every page has a file and a command, or is about something else. */
function readRecipes(): readonly Recipe[] {
  const pages = readdirSync(FOLDER).filter((name) => !['README.md', 'openapi.md'].includes(name));
  return pages.map((page) => {
    const text = readFileSync(join(FOLDER, page), 'utf8');
    const [, file = '', code = ''] = /save this as\s+`([\w.]+)`[^`]*```\w+\n([\s\S]*?)```/i.exec(text) ?? [];
    const [, prepare = ''] = /\bproject with `([^`]+)`/.exec(text) ?? [];
    const [, command = ''] = /^npx tillhouse exec -- (.*)$/m.exec(text) ?? [];
    return { page, file, code, prepare, command: command.split(' ') };
  });
}

const recipes = readRecipes();

/** Whether the program runs: that of Java may be only a link. */
function runs(program: string): boolean {
  if (INSTALLED.includes(program)) ensurePrograms(INSTALLED);
  const isThere = findProgram(program) !== undefined;
  const version = program === 'go' ? 'version' : '--version';
  if (isThere && spawnSync(program, [version], { stdio: 'ignore' }).status === 0) return true;
  console.error(`SKIPPED docs/languages: ${program} is not installed, so its page is not run.`);
  return false;
}

describe('a page about a language', () => {
  it('there is one for each, with a file, a command, and how its end looks', () => {
    expect(recipes.map(({ command: [program] }) => program).sort()).toEqual(Object.keys(ENDS).sort());
    for (const { page, file, code } of recipes) expect([page, file, code]).not.toContain('');
  });

  it.each(recipes.map((recipe) => [recipe.page, recipe] as const))(
    'has a test that runs as it is written: %s',
    async (_, { file, code, prepare, command }) => {
      const [program = ''] = command;
      if (!runs(program)) return;
      const [folder, dataDir] = [await newProject(), await migratedDataDir()];
      expect(spawnSync('sh', ['-c', prepare], { cwd: folder }).status).toBe(0);
      await writeFile(join(folder, file), code);
      const started = await Program.start(['tillhouse', 'exec', '--data-dir', dataDir, '--', ...command], {
        command: ['npx', '--offline'],
        cwd: folder,
        env: { npm_config_cache: join(folder, 'npm-cache'), GOFLAGS: '-mod=mod', GOCACHE: join(folder, 'go-cache') },
      });
      const { code: status } = await started.exited;
      const printed = started.stdout + started.stderr;
      expect({ status, printed }).toEqual({ status: 0, printed: expect.stringMatching(ENDS[program] ?? /$^/) });
    },
    TIME_LIMIT_MS,
  );
});
