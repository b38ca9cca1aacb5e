import { isJsonObject } from '@strata/api'
import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { RecordedValues } from './recorded-values.ts'

/** One request of the recording's director, in JSON; the body of the answer. */
export type Direct = (method: string, target: string, body?: unknown) => Promise<unknown>

/**
 * What happened to the recorded server beside the client that was listened to: where a run, or a part of it, begins.
 * By the name of the run and the label of its requests.
 */
const preludes: Readonly<
  Record<string, Readonly<Record<string, (direct: Direct, values: RecordedValues) => Promise<unknown>>>>
> = {
  'kcm-controllers': {
    start: async (direct) => {
      await createNamespace(direct, 'bench')
      await createKind(direct, widgets)
      await createKind(direct, migrations)
      await createKind(direct, states)
    },
    'create namespace': (direct) => createNamespace(direct, 'cap-kcm'),
    'owner with a dependent, background deletion': (direct) => ownerAndChild(direct, 1, 'Background'),
    'owner with a dependent, foreground deletion': (direct) =>
      ownerAndChild(direct, 2, 'Foreground', { blockOwnerDeletion: true }),
    'owner with a dependent, orphaning': async (direct, values) => {
      // The client knew these uids from its informers; the requests themselves begin with the patch.
      const { owner, child } = await ownerAndChild(direct, 3, 'Orphan')
      values.learnUid(orphanedChild, child)
      values.learnUid(orphanedOwner, owner)
    },
    'delete the default service account': async (direct) => {
      await direct('DELETE', '/api/v1/namespaces/cap-kcm/serviceaccounts/default')
    },
    'change the root CA config map': async (direct) => {
      const patch = { data: { 'ca.crt': 'changed' } }
      await direct('PATCH', '/api/v1/namespaces/cap-kcm/configmaps/kube-root-ca.crt', patch)
    },
    'delete namespace': async (direct) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
      await direct('POST', '/api/v1/namespaces/cap-kcm/secrets', secret)
      await direct('DELETE', '/api/v1/namespaces/cap-kcm')
    },
  },
  // The recorded client took longer to begin its next command than a definition takes to be established.
  'kubectl-1.32-crd': { 1: (direct) => established(direct, 'sprockets.captures.dev') },
  'kubectl-1.36-crd': { 1: (direct) => established(direct, 'sprockets.captures.dev') },
  'ksvm-trigger': {
    start: async (direct) => {
      await createNamespace(direct, 'cap-kubectl')
      for (const kind of [widgets, migrations, states, sprockets]) await createKind(direct, kind)
      await createMigration(direct, { name: 'widgets-1' }, { group: 'bench.dev', resource: 'widgets' })
      await finishMigration(direct, 'widgets-1')
      for (const [name, replicas] of Object.entries({ s1: 1, s2: 2, s3: 2 })) {
        const sprocket = {
          apiVersion: 'captures.dev/v1',
          kind: 'Sprocket',
          metadata: { name },
          spec: { replicas },
        }
        await direct('POST', '/apis/captures.dev/v1/namespaces/cap-kubectl/sprockets', sprocket)
      }
    },
  },
  'ksvm-migrator': {
    start: (direct) =>
      createMigration(
        direct,
        { generateName: 'sprockets.captures.dev-', name: 'sprockets.captures.dev-p422f' },
        { group: 'captures.dev', resource: 'sprockets' },
      ),
  },
}

export async function direct(
  run: string,
  label: number | string,
  ask: Direct,
  values: RecordedValues,
): Promise<void> {
  await preludes[run]?.[label]?.(ask, values)
}

const orphanedChild = '685ed6a0-62fb-4b2a-b6f0-a61d5c39e18e'
const orphanedOwner = 'c655b793-158c-4d32-8142-1d9140124fbc'

async function createNamespace(direct: Direct, name: string): Promise<void> {
  await direct('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
}

interface CustomKind {
  readonly group: string
  readonly versionNames: readonly string[]
  readonly plural: string
  readonly kind: string
  readonly scope: 'Cluster' | 'Namespaced'
  readonly shortNames?: readonly string[]
  readonly subresources?: object
}

const migrations: CustomKind = {
  group: 'migration.k8s.io',
  versionNames: ['v1alpha1'],
  plural: 'storageversionmigrations',
  kind: 'StorageVersionMigration',
  scope: 'Cluster',
  subresources: { status: {} },
}
const states: CustomKind = { ...migrations, plural: 'storagestates', kind: 'StorageState' }
const sprockets: CustomKind = {
  group: 'captures.dev',
  versionNames: ['v1'],
  plural: 'sprockets',
  kind: 'Sprocket',
  scope: 'Namespaced',
  shortNames: ['spr'],
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
}
const widgets: CustomKind = {
  group: 'bench.dev',
  versionNames: ['v2', 'v1'],
  plural: 'widgets',
  kind: 'Widget',
  scope: 'Namespaced',
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Defined, and served by the time that it returns. */
async function createKind(
  direct: Direct,
  { group, versionNames, plural, kind, scope, shortNames, subresources }: CustomKind,
): Promise<void> {
  const name = `${plural}.${group}`
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await direct('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, recorded' } },
    spec: {
      group,
      scope,
      names: { plural, kind, ...(shortNames ? { shortNames } : {}) },
      versions: versionNames.map((versionName, index) => ({
        name: versionName,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema },
        ...(subresources ? { subresources } : {}),
      })),
    },
  })
  await established(direct, name)
}

async function established(direct: Direct, name: string): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    if (JSON.stringify(await direct('GET', `${definitions}/${name}`)).includes('"InitialNamesAccepted"'))
      return
    await sleep(nodeClock, 100)
  }
  throw new Error(`${name} is not established`)
}

const migrationPath = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'

async function createMigration(direct: Direct, metadata: object, resource: object): Promise<void> {
  await direct('POST', migrationPath, {
    apiVersion: 'migration.k8s.io/v1alpha1',
    kind: 'StorageVersionMigration',
    metadata,
    spec: { resource: { ...resource, version: 'v1' } },
  })
}

async function finishMigration(direct: Direct, name: string): Promise<void> {
  await direct('PATCH', `${migrationPath}/${name}`, { spec: { continueToken: 'there' } })
  const conditions = [{ type: 'Succeeded', status: 'True', lastUpdateTime: '2026-11-15T17:57:22Z' }]
  await direct('PATCH', `${migrationPath}/${name}/status`, { status: { conditions } })
}

const maps = '/api/v1/namespaces/cap-kcm/configmaps'

async function ownerAndChild(
  direct: Direct,
  number: number,
  propagationPolicy: string,
  more = {},
): Promise<{ readonly owner: string; readonly child: string }> {
  const map = (name: string, more: object): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}${number}`, ...more },
  })
  const owner = uidOf(await direct('POST', maps, map('owner', {})))
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: `owner${number}`, uid: owner }
  const ownerReferences = [{ ...reference, ...more }]
  const child = uidOf(await direct('POST', maps, map('child', { ownerReferences })))
  await direct('DELETE', `${maps}/owner${number}`, { propagationPolicy })
  return { owner, child }
}

function uidOf(object: unknown): string {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined
  return isJsonObject(metadata) ? String(metadata['uid']) : ''
}
