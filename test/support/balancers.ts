/** The proxies of deploy/ in front of two servers. Of the shipped files only addresses and certificates are replaced. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from './built.js';
import { SELF_SIGNED } from './certificate.js';
import { findProgram } from './debian-programs.js';
import { callApi } from './http.js';
import { newFolder, Program, refusesConnections } from './process.js';

export const BALANCERS = ['nginx', 'caddy', 'haproxy'] as const;
export type BalancerName = (typeof BALANCERS)[number];

export interface Places {
  /** Where clients reach the proxy, and where it listens without TLS. */
  readonly port: number;
  readonly plainPort: number;
  /** The ports of the two servers. */
  readonly servers: readonly [number, number];
}

interface Made {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const MAKERS: Readonly<Record<BalancerName, (folder: string, places: Places) => Promise<Made>>> = {
  nginx: makeNginx,
  caddy: makeCaddy,
  haproxy: makeHaproxy,
};

export class Balancer {
  readonly program: Program;
  readonly baseUrl: string;

  private constructor(program: Program, baseUrl: string) {
    this.program = program;
    this.baseUrl = baseUrl;
  }

  static async start(name: BalancerName, places: Places): Promise<Balancer> {
    const folder = await newFolder();
    await writeFile(join(folder, 'certificate.pem'), SELF_SIGNED.cert);
    await writeFile(join(folder, 'key.pem'), SELF_SIGNED.key);
    await writeFile(join(folder, 'both.pem'), `${SELF_SIGNED.cert}\n${SELF_SIGNED.key}\n`);
    const { args, env = {} } = await MAKERS[name](folder, places);
    const program = await Program.start(args, { command: [findProgram(name) ?? name], cwd: folder, env });
    const balancer = new Balancer(program, `https://localhost:${places.port}`);
    while (await refusesConnections(places.port)) {
      if (program.hasExited) throw new Error(`${name} did not start:\n${program.stderr}`);
      await sleep(20);
    }
    while ((await callApi(balancer.baseUrl, 'GET', '/readyz')).status !== 200) await sleep(100);
    return balancer;
  }

  async stop(): Promise<void> {
    this.program.signal('SIGTERM');
    await this.program.exited;
  }
}

async function shipped(name: string): Promise<string> {
  return readFile(join(repository, 'deploy', name), 'utf8');
}

/** Replaces what is there; a pattern that is nowhere is a mistake of the test. */
function replaceAll(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((before, [what, by]) => {
    const after = before.replaceAll(typeof what === 'string' ? what : new RegExp(what, `${what.flags}g`), by);
    if (after === before) throw new Error(`nothing to replace: ${what}`);
    return after;
  }, text);
}

/** The addresses of the servers, and the second one, which is a comment in the file. */
function withServers({ servers: [first, second] }: Places): [string | RegExp, string][] {
  return [
    [/#(?=server .*:4001)/, ''],
    ['127.0.0.1:4000', `127.0.0.1:${first}`],
    ['127.0.0.1:4001', `127.0.0.1:${second}`],
  ];
}

async function makeNginx(folder: string, places: Places): Promise<Made> {
  const site = replaceAll(await shipped('nginx.conf'), [
    ...withServers(places),
    [/ +listen \[::\]:\d+.*\n/, ''],
    ['listen 80;', `listen 127.0.0.1:${places.plainPort};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${places.port} ssl;`],
    ['pos.example.com', 'localhost'],
    ['/etc/ssl/tillhouse/fullchain.pem', join(folder, 'certificate.pem')],
    ['/etc/ssl/tillhouse/privkey.pem', join(folder, 'key.pem')],
  ]);
  await writeFile(join(folder, 'site.conf'), site);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join('\n');
  // What the package of Debian has in /etc/nginx/nginx.conf, below this folder.
  const main = `daemon off;\nworker_processes 2;\npid ${join(folder, 'pid')};\nerror_log stderr notice;
events { worker_connections 768; }
http {\naccess_log off;\n${temporary}\ninclude ${join(folder, 'site.conf')};\n}\n`;
  await writeFile(join(folder, 'nginx.conf'), process.getuid?.() === 0 ? `user root;\n${main}` : main);
  return { args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')] };
}

async function makeCaddy(folder: string, { port, plainPort, servers }: Places): Promise<Made> {
  const site = replaceAll(await shipped('Caddyfile'), [
    // Otherwise it would ask a public authority for a certificate.
    [/^\{\$TILLHOUSE_DOMAIN\} \{\n/m, '{$TILLHOUSE_DOMAIN} {\n\ttls certificate.pem key.pem\n'],
  ]);
  const options = `{\nadmin off\nhttp_port ${plainPort}\nhttps_port ${port}\nskip_install_trust\n}\n`;
  await writeFile(join(folder, 'Caddyfile'), `${options}${site}`);
  const upstream = servers.map((each) => `127.0.0.1:${each}`).join(' ');
  return {
    args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    env: { TILLHOUSE_DOMAIN: `localhost:${port}`, TILLHOUSE_UPSTREAM: upstream, XDG_DATA_HOME: folder },
  };
}

async function makeHaproxy(folder: string, places: Places): Promise<Made> {
  const config = replaceAll(await shipped('haproxy.cfg'), [
    ...withServers(places),
    ['bind :80\n', `bind 127.0.0.1:${places.plainPort}\n`],
    ['bind :443 ', `bind 127.0.0.1:${places.port} `],
    ['/etc/ssl/tillhouse/haproxy.pem', join(folder, 'both.pem')],
  ]);
  await writeFile(join(folder, 'haproxy.cfg'), config);
  return { args: ['-f', join(folder, 'haproxy.cfg'), '-db'] };
}
