/** How `npm test` gets a browser: it uses an installed one, installs one once, or explains how to install one. */
import { readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { newFolder, type Result, run } from '../support/process.js';

const SCRIPT = `
import { ensureBrowser, findBrowser } from ${JSON.stringify(pathToFileURL(join(repository, 'scripts/browser.mjs')).href)};
ensureBrowser();
console.log(findBrowser());`;

/** On other systems browsers are not found by their command. */
const isLinux = process.platform === 'linux';
const isDebianRoot =
  isLinux && process.getuid?.() === 0 && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/** The only folder on the PATH. */
let programs: string;
let temporary: string;
beforeEach(async () => {
  [programs, temporary] = [await newFolder(), await newFolder()];
});

async function install(name: string, script: string): Promise<string> {
  const path = join(programs, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

function setUp(extra: NodeJS.ProcessEnv = {}): Promise<Result> {
  const env = {
    PATH: programs,
    TMPDIR: temporary,
    // The browser's installer finds nothing here, and can ask no user.
    PLAYWRIGHT_BROWSERS_PATH: temporary,
    PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
    ...extra,
  };
  return run([], { command: [process.execPath, '--input-type=module', '--eval', SCRIPT], env });
}

describe.skipIf(!isLinux)('a browser for the tests', () => {
  it('is the configured one, whatever else is installed', async () => {
    await install('chromium', 'exit 0');
    const named = await install('mine', 'exit 0');
    expect(await setUp({ TILLHOUSE_BROWSER: named })).toMatchObject({ code: 0, stdout: `${named}\n`, stderr: '' });
  });

  it('is refused by name if the configured one cannot run', async () => {
    const { code, stderr } = await setUp({ TILLHOUSE_BROWSER: '/no/such/browser' });
    expect([code, stderr]).toEqual([1, 'TILLHOUSE_BROWSER is not an executable program: /no/such/browser\n']);
  });

  it('is one without windows if there is one: it takes half of the CPU time', async () => {
    await install('chromium', 'exit 0');
    const shell = await install('chromium-headless-shell', 'exit 0');
    expect(await setUp()).toMatchObject({ code: 0, stdout: `${shell}\n`, stderr: '' });
  });

  it('is the first installed one that works: some are only stubs that explain how to install it', async () => {
    await install('chromium-browser', 'echo "Install the snap" >&2; exit 1');
    const chrome = await install('google-chrome', 'exit 0');
    expect(await setUp()).toMatchObject({ code: 0, stdout: `${chrome}\n`, stderr: '' });
  });

  it.skipIf(!isDebianRoot)(
    'is installed once by the system package manager, however many processes need it at the same time',
    async () => {
      const log = join(temporary, 'asked');
      const chromium = join(programs, 'chromium');
      await install(
        'apt-get',
        `echo "$@" >> '${log}'
case "$*" in *headless-shell) exit 100 ;; esac # as on systems without this package
[ "$1" = install ] && printf '#!/bin/sh\\n' > '${chromium}' && /bin/chmod 755 '${chromium}'
exit 0`,
      );
      const results = await Promise.all([setUp(), setUp(), setUp()]);
      for (const { code, stdout } of results) expect([code, stdout]).toEqual([0, `${chromium}\n`]);
      const wanted = 'install -y --no-install-recommends';
      expect(await readFile(log, 'utf8')).toBe(`update\n${wanted} chromium-headless-shell\n${wanted} chromium\n`);
    },
  );

  it('is requested with instructions if none can be installed', async () => {
    await install('apt-get', 'exit 100');
    const { code, stderr } = await setUp();
    expect(code).toBe(1);
    expect(stderr).toContain('No browser was found, and none could be installed.');
    expect(stderr).toContain('TILLHOUSE_BROWSER=');
    expect(stderr).not.toContain('browser.mjs:');
  });
});
