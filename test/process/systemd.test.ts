/** What a server tells systemd. The real program `systemd-notify` sends it to a socket that Python opens, as Node.js cannot. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../support/installed.js';
import { newFolder, Program, postmasterPid, Server, until, usedDataDir } from '../support/process.js';

/** Prints every message that arrives at the socket, and confirms it by closing the descriptors that came with it. */
const RECEIVER = `
import os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
    receiver.bind(sys.argv[1])
    print('listening', flush=True)
    while True:
        message, descriptors, _, _ = socket.recv_fds(receiver, 4096, 4)
        for each in descriptors: os.close(each)
        print(message.decode(), flush=True)
`;

const isPossible = isInstalled('python3') && isInstalled('systemd-notify');

describe('deploy/tillhouse.service', () => {
  it.skipIf(!isInstalled('systemd-analyze'))('is valid for systemd, and leaves the server few rights', async () => {
    const unit = await readFile(new URL('../../deploy/tillhouse.service', import.meta.url), 'utf8');
    const path = join(await newFolder(), 'tillhouse.service');
    // The program and its user are not on this machine.
    const local = unit.replace('/usr/local/bin/tillhouse', process.execPath).replace(/^(?:User|Group)=.*\n/gm, '');
    await writeFile(path, local);
    const analyze = (...args: string[]) => promisify(execFile)('systemd-analyze', [...args, path]);
    const { stdout, stderr } = await analyze('verify', '--man=no', '--recursive-errors=no');
    expect([stdout, stderr]).toEqual(['', '']);
    const { stdout: table } = await analyze('security', '--offline=true', '--no-pager', '--threshold=25');
    expect(table).toContain('Overall exposure level');
  });
});

describe('deploy/tillhouse-audit.service', () => {
  it.skipIf(!isInstalled('systemd-analyze'))('is valid for systemd, beside the server that it stops with', async () => {
    const folder = await newFolder();
    const paths: string[] = [];
    for (const name of ['tillhouse.service', 'tillhouse-audit.service']) {
      const unit = await readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
      const local = unit.replace('/usr/local/bin/tillhouse', process.execPath).replace(/^(?:User|Group)=.*\n/gm, '');
      paths.push(join(folder, name));
      await writeFile(join(folder, name), local);
    }
    const verify = ['verify', '--man=no', '--recursive-errors=no', ...paths];
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', verify);
    expect([stdout, stderr]).toEqual(['', '']);
  });
});

describe.each(['backup', 'check', 'reconcile'])('deploy/tillhouse-%s.timer', (kind) => {
  it.skipIf(!isInstalled('systemd-analyze'))('is valid for systemd, with the service that it starts', async () => {
    const folder = await newFolder();
    const paths: string[] = [];
    for (const name of [`tillhouse-${kind}.service`, `tillhouse-${kind}.timer`]) {
      const unit = await readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
      paths.push(join(folder, name));
      const local = unit.replace('/usr/local/bin/tillhouse', process.execPath).replace(/^(?:User|Group)=.*\n/gm, '');
      await writeFile(join(folder, name), local);
    }
    const verify = ['verify', '--man=no', '--recursive-errors=no', ...paths];
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', verify);
    expect([stdout, stderr]).toEqual(['', '']);
  });
});

describe('a server that systemd has started', () => {
  it.skipIf(!isPossible)('says that it is ready and that it stops, and its PostgreSQL says nothing', async () => {
    const NOTIFY_SOCKET = join(await newFolder(), 'notify');
    const systemd = await Program.start(['-c', RECEIVER, NOTIFY_SOCKET], { command: ['python3'] });
    await systemd.said(/listening/);
    const server = await Server.start({ dataDir: await usedDataDir(), env: { NOTIFY_SOCKET } });
    await systemd.said(/READY=1/);
    expect(systemd.stdout).toContain(`STATUS=Serving at ${server.baseUrl}\n`);
    expect(systemd.stdout).not.toContain('STOPPING');
    const postmaster = await postmasterPid(server.dataDir);
    expect(await readFile(`/proc/${postmaster}/environ`, 'utf8')).not.toContain('NOTIFY_SOCKET');
    server.program.signal('SIGUSR2'); // systemctl reload
    await until(() => server.program.stderr.includes('use --processes 2'));
    await server.stop();
    await systemd.said(/STOPPING=1/);
    expect(systemd.stdout.match(/READY=1/g)).toHaveLength(1);
    systemd.signal('SIGTERM');
    await systemd.exited;
  });
});
