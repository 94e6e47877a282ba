/** Checks the base for kustomize in deploy/kubernetes: what its parts name exists, and the server starts with its settings. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { CommandFlag } from '../../src/base/command-flag.js';
import { parseArguments, SERVE_FLAGS, toServeConfig } from '../../src/base/config.js';
import { assignments, readStage } from '../support/containerfile.js';

const FOLDER = fileURLToPath(new URL('../../deploy/kubernetes', import.meta.url));
/** What a stopping server needs beyond its delay: for connections that end, and for requests in flight. */
const STOP_MS = 15_000;

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe & { readonly periodSeconds: number; readonly failureThreshold: number };
  readonly livenessProbe?: Probe;
  readonly resources: { readonly requests?: object; readonly limits?: object };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Pod {
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: object;
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
}

interface Template {
  readonly metadata: { readonly labels: Labels };
  readonly spec: Pod;
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own fields, and a test that reads a missing one fails
  readonly spec: any;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly newTag: string }[];
  readonly configMapGenerator: readonly [{ readonly name: string; readonly literals: readonly string[] }];
}

async function documents<Kind>(name: string): Promise<Kind[]> {
  const text = await readFile(join(FOLDER, name), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Kind);
}

const [base] = (await documents<Kustomization>('kustomization.yaml')) as [Kustomization];
const resources = (await Promise.all(base.resources.map((name) => documents<Resource>(name)))).flat();

function of(kind: string, name: string): Resource['spec'] {
  const found = resources.filter((each) => each.kind === kind && each.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0]?.spec;
}

const server = of('Deployment', 'tillhouse').template as Template;
const migration = of('Job', 'tillhouse-migrate').template as Template;
const backup = of('CronJob', 'tillhouse-backup').jobTemplate.spec.template as Template;
const check = of('CronJob', 'tillhouse-check').jobTemplate.spec.template as Template;
const pods = { server, migration, backup, check };
const all = Object.values(pods);

const configOf = (name: string) =>
  Object.fromEntries(
    base.configMapGenerator.filter((each) => each.name === name)[0]?.literals.map((each) => each.split(/=(.*)/s)) ?? [],
  ) as Record<string, string>;

const namesIn = ({ spec }: Template) =>
  spec.containers[0].envFrom.flatMap(({ configMapRef, secretRef }) => [configMapRef?.name, secretRef?.name]);

/** In the first comment. */
const commands = await readFile(join(FOLDER, 'kustomization.yaml'), 'utf8');

describe('deploy/kubernetes', () => {
  it('lists every file once, and has each resource once', async () => {
    const others = (await readdir(FOLDER)).filter((name) => name !== 'kustomization.yaml');
    expect(base.resources.toSorted()).toEqual(others.toSorted());
    const named = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(named).size).toBe(named.length);
  });

  it('runs the image of this version everywhere', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(base.images).toMatchObject([{ name: 'tillhouse', newTag: version }]);
    expect(all.map(({ spec }) => spec.containers[0].image)).toEqual(all.map(() => 'tillhouse'));
  });

  it('selects the servers, and no other pod', () => {
    const selectors: Labels[] = [
      of('Deployment', 'tillhouse').selector.matchLabels,
      of('PodDisruptionBudget', 'tillhouse').selector.matchLabels,
      of('Service', 'tillhouse').selector,
      of('NetworkPolicy', 'tillhouse').podSelector.matchLabels,
      ...(server.spec.topologySpreadConstraints ?? []).map(({ labelSelector }) => labelSelector.matchLabels),
    ];
    expect(selectors).toHaveLength(5);
    const matches =
      (selector: Labels) =>
      ({ metadata }: Template) =>
        Object.entries(selector).every(([name, value]) => metadata.labels[name] === value);
    for (const selector of selectors) expect(all.filter(matches(selector))).toEqual([server]);
  });

  it('has every name that a part refers to', () => {
    const service = of('Service', 'tillhouse');
    const ports = server.spec.containers[0].ports?.map(({ name }) => name) ?? [];
    const { startupProbe, readinessProbe, livenessProbe } = server.spec.containers[0];
    const used = [
      ...service.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
      ...of('NetworkPolicy', 'tillhouse').ingress.flatMap((each: { ports: { port: string }[] }) =>
        each.ports.map(({ port }) => port),
      ),
      ...[startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet.port),
    ];
    expect(used.filter((port) => !ports.includes(port))).toEqual([]);
    const [{ http }] = of('Ingress', 'tillhouse').rules;
    const backend = http.paths[0].backend.service;
    expect(service.ports.map(({ name }: { name: string }) => name)).toContain(backend.port.name);
    expect(backend.name).toBe('tillhouse');
    for (const { spec } of all) {
      const volumes = spec.volumes.map(({ name }) => name);
      expect(spec.containers[0].volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
      for (const { persistentVolumeClaim: claim } of spec.volumes)
        if (claim) of('PersistentVolumeClaim', claim.claimName);
    }
    // The secrets are created by the commands in the first comment.
    const known = [...commands.matchAll(/create secret generic ([\w-]+)/g)].map(([, name]) => name);
    const maps = base.configMapGenerator.map(({ name }) => name);
    const asked = all.flatMap(namesIn).filter((name) => name !== undefined);
    expect(asked.filter((name) => ![...known, ...maps].includes(name))).toEqual([]);
  });

  it('migrates in a job without probes, with the role that owns the tables; the servers have another secret', () => {
    const [container] = migration.spec.containers;
    expect(container.args[0]).toBe('migrate');
    expect(Object.keys(container).filter((name) => name.endsWith('Probe'))).toEqual([]);
    expect(of('Job', 'tillhouse-migrate')).not.toHaveProperty('activeDeadlineSeconds');
    expect(namesIn(migration)).toContain('tillhouse-owner');
    for (const pod of [server, backup, check]) expect(namesIn(pod)).not.toContain('tillhouse-owner');
    const [, , role = ''] = container.args;
    expect(container.args).toEqual(['migrate', '--serve-role', role]);
    expect(commands).toContain(
      `secret generic tillhouse-server \\\n#     --from-literal=DATABASE_URL='postgres://${role}:`,
    );
    expect(namesIn(server)).toContain('tillhouse-server');
  });

  it('gives no pod more rights than it needs, and each of them memory', () => {
    for (const { spec } of all) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      expect(spec.containers[0]).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: expect.any(String), memory: expect.any(String) }, limits: expect.anything() },
      });
    }
  });

  it('has servers that start with these settings, are found by their probes, and may finish when they stop', async () => {
    const ofImage = assignments(await readStage());
    const settings: Record<string, string> = { ...ofImage, ...configOf('tillhouse'), TILLHOUSE_PROCESSOR: 'simulator' };
    const flags = Object.entries<CommandFlag>(SERVE_FLAGS).flatMap(([name, { environment = '' }]) =>
      settings[environment] === undefined ? [] : [`--${name}=${settings[environment]}`],
    );
    const { port, metrics, stopDelayMs = 0, mode } = toServeConfig(parseArguments(flags, SERVE_FLAGS).values);
    expect(mode).toBe('production');
    const [container] = server.spec.containers;
    expect(container.ports?.map(({ containerPort }) => containerPort)).toEqual([port, metrics?.port]);
    expect(container.startupProbe?.httpGet.path).toBe('/healthz');
    expect(container.livenessProbe?.httpGet.path).toBe('/healthz');
    const { httpGet, periodSeconds = 0, failureThreshold = 0 } = container.readinessProbe ?? {};
    expect(httpGet?.path).toBe('/readyz');
    expect(stopDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000);
    expect((server.spec.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(stopDelayMs + STOP_MS);
    expect(of('Deployment', 'tillhouse').strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(of('PodDisruptionBudget', 'tillhouse').maxUnavailable).toBe(1);
  });
});
