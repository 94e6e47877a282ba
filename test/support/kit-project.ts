/** Projects of people who test with `tillhouse/testing`, each with a cache folder of its own. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { schemaFingerprint } from '../../src/database/migrations.js';
import { buildProgram, repository } from './built.js';
import { newFolder, Program, type ProgramOptions, processesIn, type Result, until } from './process.js';

/** Packages that a project has installed, and their commands. */
const PACKAGES = ['vitest', 'jest', 'typescript', 'square', '@types'] as const;
const COMMANDS = { vitest: 'vitest/vitest.mjs', jest: 'jest/bin/jest.js' };

export class KitProject {
  readonly folder: string;
  readonly cache: string;

  private constructor(folder: string, cache: string) {
    this.folder = folder;
    this.cache = cache;
  }

  /** The cache is empty, unless it is that of another project. */
  static async create(files: Readonly<Record<string, string>> = {}, cache?: string): Promise<KitProject> {
    const project = new KitProject(await newFolder(), cache ?? (await newFolder()));
    const packages = join(project.folder, 'node_modules');
    await mkdir(join(packages, '.bin'), { recursive: true });
    for (const name of PACKAGES) await symlink(join(repository, 'node_modules', name), join(packages, name));
    const program = await buildProgram();
    await chmod(join(program, 'dist/main.js'), 0o755); // as npm does when it installs a package
    await symlink(program, join(packages, 'tillhouse'));
    for (const [name, path] of Object.entries(COMMANDS))
      await symlink(join(packages, path), join(packages, '.bin', name));
    await symlink(join(program, 'dist/main.js'), join(packages, '.bin/tillhouse'));
    await writeFile(join(project.folder, 'package.json'), '{"name":"project","private":true,"type":"module"}');
    await project.write(files);
    return project;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  /** The folder of the PostgreSQL that the test kits share. */
  async shared(): Promise<string> {
    return join(this.cache, 'tillhouse/testing', await schemaFingerprint(), 'shared');
  }

  start(command: readonly [string, ...string[]], options: ProgramOptions = {}): Promise<Program> {
    const env = { XDG_CACHE_HOME: this.cache, ...options.env };
    return Program.start([], { ...options, command, cwd: this.folder, env });
  }

  /** A program in a module of JavaScript. */
  script(code: string, options?: ProgramOptions): Promise<Program> {
    return this.start([process.execPath, '--input-type=module', '-e', code], options);
  }

  async run(command: readonly [string, ...string[]]): Promise<Result> {
    const program = await this.start(command);
    const exit = await program.exited;
    return { ...exit, stdout: program.stdout, stderr: program.stderr };
  }

  /** Fails only by running into the limit of the test. */
  async untilNothingRuns(): Promise<void> {
    await until(async () => (await processesIn([this.folder, this.cache], { orItsEnvironment: true })).length === 0);
  }
}
