/** A recording in a folder: `fixture.json`, and `stubs/` with which a server can start. It is written while it grows. */
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../base/usage-error.js';
import { type Exchange, FIXTURE_FILE, FIXTURE_VERSION, type Fixture, printFixture } from './fixture.js';
import { Masker } from './masked.js';
import { type RecordedStubs, toStubs } from './recorded-stubs.js';
import type { SeenExchange } from './recorder.js';

const STUBS_FOLDER = 'stubs';
const STUBS_FILE = 'recorded.json';
/** A recording is kept in memory. */
const MAX_EXCHANGES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** At most so much is lost if the recorder is killed. */
const SAVE_AFTER_MS = 500;

export class Recording {
  readonly folder: string;
  readonly #target: string;
  readonly #masker: Masker;
  readonly #exchanges: Exchange[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, target: string) {
    this.folder = folder;
    this.#target = target;
    this.#masker = new Masker(target);
  }

  /** Refuses a folder that has a recording already. */
  static async start(
    folder: string,
    { target, overwrite }: { readonly target: string; readonly overwrite: boolean },
  ): Promise<Recording> {
    const file = join(folder, FIXTURE_FILE);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere && !overwrite) {
      throw new UsageError(
        `${file} is there already. Choose another folder with --to, or replace it with --overwrite.`,
      );
    }
    await mkdir(join(folder, STUBS_FOLDER), { recursive: true }).catch((error: Error) => {
      throw new UsageError(`--to: ${error.message}.`);
    });
    return new Recording(folder, target);
  }

  get size(): number {
    return this.#exchanges.length;
  }

  /** False: the recording is full. */
  add(exchange: SeenExchange): boolean {
    this.#bytes += exchange.request.body.length + exchange.response.body.length;
    if (this.#exchanges.length >= MAX_EXCHANGES || this.#bytes > MAX_BYTES) return false;
    this.#exchanges.push(this.#masker.mask(exchange));
    this.#timer ??= setTimeout(() => this.save().catch(() => {}), SAVE_AFTER_MS).unref(); // the last save reports it
    return true;
  }

  /** Writes all that there is. */
  save(): Promise<RecordedStubs> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const saved = this.#written.catch(() => {}).then(() => this.#write());
    this.#written = saved;
    return saved;
  }

  async #write(): Promise<RecordedStubs> {
    const exchanges = this.#exchanges.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
    const fixture: Fixture = this.#masker.finish({
      tillhouse_fixture: FIXTURE_VERSION,
      target: this.#target,
      exchanges,
    });
    const recorded = toStubs(fixture);
    await replaceFile(join(this.folder, FIXTURE_FILE), printFixture(fixture));
    const stubs = `${JSON.stringify(recorded.stubs, null, 2)}\n`;
    await replaceFile(join(this.folder, STUBS_FOLDER, STUBS_FILE), stubs);
    return recorded;
  }
}

/** Readers see the old file or the new one. */
async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
