import {
  type ApiObject,
  agreementName,
  apiServices,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
  isAllCurrent,
  persistedHashesOf,
  type StorageAgreement,
  type StorageState,
  storageAgreements,
  storageStates,
} from '@strata/api'
import { type Client, isNotFound, type ResourceClient } from '@strata/client'
import { migrationSpec } from '@strata/insight'
import type { World } from '@strata/world'
import { type Candidate, decideCandidates } from './decide-candidates.ts'
import { decideHomes } from './decide-home.ts'
import { type Installed, installDefinitions } from './install-definitions.ts'
import type { MigrationHome } from './migration-home.ts'
import { observeHashes } from './observe-hashes.ts'
import { migratedResource, observedMigration } from './observed-migration.ts'

export interface InitializerOptions {
  readonly world: World
  readonly client: Client
  /** Reports what would be created, and creates nothing. */
  readonly dryRun?: boolean
  readonly installCrds?: boolean
}

export interface InitializerResult {
  readonly definitions: readonly Installed[]
  readonly created: readonly (GroupResource & {
    readonly version: string
    readonly migration?: string | undefined
  })[]
  readonly skipped: readonly (GroupResource & { readonly because: string })[]
  /** Group versions whose discovery failed: their resources may be missing above. */
  readonly unseen: readonly string[]
}

/**
 * Requests one migration of each resource that may be stored in more than one version, once. For clusters that run no
 * trigger. It deletes nothing (docs/reference/upstream-behaviour.md, X12), and skips migrations that are under way or not
 * needed.
 */
export async function initialize(
  { world, client, dryRun = false, installCrds = false }: InitializerOptions,
  signal: AbortSignal,
): Promise<InitializerResult> {
  const definitions = installCrds ? await installDefinitions({ world, client, dryRun }, signal) : []
  const poll = await observeHashes(client, signal)
  const homes = decideHomes(poll.resources)
  const [home] = homes
  if (!home && !dryRun) {
    throw new Error('this cluster serves no StorageVersionMigrations: install the CRD with --install-crds')
  }
  const foreignGroups = await observeForeignGroups(client, signal)
  const candidates = decideCandidates({ served: poll.resources, hashes: poll.hashes, foreignGroups })
  const known = await observeKnown(client, homes, signal)
  const created: InitializerResult['created'][number][] = []
  const skipped: InitializerResult['skipped'][number][] = []
  for (const { group, resource, versionName } of candidates) {
    const because = whyNot({ group, resource, versionName }, known)
    if (because !== undefined) {
      skipped.push({ group, resource, because })
      continue
    }
    const migration = {
      metadata: { generateName: `${group === '' ? '' : `${group}.`}${versionName}.${resource}-` },
      spec: migrationSpec(home?.group ?? 'migration.k8s.io', { group, resource }, versionName),
    } as ApiObject
    const migrations =
      home &&
      client.resource({ ...home, resource: 'storageversionmigrations', kind: 'StorageVersionMigration' })
    const made = dryRun ? undefined : await migrations?.create(migration, signal)
    created.push({ group, resource, version: versionName, migration: made?.metadata.name })
  }
  return { definitions, created, skipped, unseen: poll.failures.map(({ groupVersion }) => groupVersion) }
}

interface Known {
  readonly states: ReadonlyMap<string, StorageState>
  readonly agreements: ReadonlyMap<string, StorageAgreement>
  /** Resources with a migration that has not ended. */
  readonly underWay: ReadonlySet<string>
}

function whyNot(candidate: Candidate, { states, agreements, underWay }: Known): string | undefined {
  const key = groupResourceText(candidate)
  if (underWay.has(key)) return 'a migration is under way'
  const record = agreements.get(agreementName(candidate))?.status
  if (record && isAllCurrent(record)) {
    return `the agreement record says that only ${record.agreedVersion} may be stored`
  }
  const state = states.get(key)
  const current = state?.status?.currentStorageVersionHash
  if (!record && state && current !== undefined && persistedHashesOf(state).join() === current) {
    return 'its StorageState says that no other version may be stored'
  }
  return undefined
}

async function observeKnown(
  client: Client,
  homes: readonly MigrationHome[],
  signal: AbortSignal,
): Promise<Known> {
  // Reads both groups: a migration that was requested in the other group need not be requested again.
  const migrations = homes.map((each) =>
    listed(client.resource({ ...each, resource: 'storageversionmigrations' }), signal),
  )
  const [states, agreements, ...all] = await Promise.all([
    listed(client.resource<StorageState>(storageStates, 'v1alpha1'), signal),
    listed(client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'), signal),
    ...migrations,
  ])
  const underWay = all
    .flat()
    .filter((each) => observedMigration(each, '').phase === 'unfinished')
    .map(migratedResource)
  return {
    states: byName(states),
    agreements: byName(agreements),
    underWay: new Set(underWay.flatMap((each) => (each ? [groupResourceText(each)] : []))),
  }
}

/** Groups of CRDs, and groups that an APIService assigns to another server. */
async function observeForeignGroups(client: Client, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const definitions = await listed(client.resource(customResourceDefinitions, 'v1'), signal)
  const services = await listed(client.resource(apiServices, 'v1'), signal)
  return new Set([
    ...definitions.map(({ spec }) => spec.group),
    ...services.flatMap(({ spec }) => (spec?.service ? [spec.group ?? ''] : [])),
  ])
}

/** Empty if the cluster does not serve the resource. Throws if it may not be read. */
async function listed<T extends ApiObject>(
  resource: ResourceClient<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return (await resource.list({}, signal)).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

function byName<T extends ApiObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((each) => [each.metadata.name ?? '', each]))
}
