import {
  type AgreementConditionType,
  agreementName,
  apiVersionOf,
  type CustomResourceDefinition,
  type GroupResource,
  groupResourceText,
  originsAnnotation,
  plainKey,
  type ServerStorageVersion,
  type StorageAgreement,
  type StorageVersion,
  storageVersionNameOf,
  storedVersionsDoubt,
  versionNameOf,
  writtenEncodings,
} from '@strata/api'
import { decideOrigin, type OriginObservation } from './decide-origin.ts'
import type { Observed } from './observed.ts'
import { countShowing, type ServerSight, whyBehind } from './server-sight.ts'
import type { DefinitionState, MigrationTarget, TargetDecision } from './target.ts'

export interface TargetObservation {
  readonly resource: GroupResource
  /** The record of the servers of this cluster. */
  readonly agreement: Observed<StorageAgreement>
  /** Set if aggregated servers store the resource and have records: then only theirs counts. */
  readonly origin?: OriginObservation | undefined
  /** The APIService that passes requests for a version of the CRD on to another server. */
  readonly passedOnBy?: string | undefined
  readonly storageVersion: Observed<StorageVersion>
  /** Ids of the servers that have an identity Lease. */
  readonly identities: readonly string[]
  /** An APIService passes the group on to another server, whose replicas have no such Leases. */
  readonly isServedElsewhere?: boolean
  readonly definition: Observed<CustomResourceDefinition>
  /** The hash that each known server shows in discovery; undefined where it shows none. */
  readonly hashes: readonly (string | undefined)[]
  /** What each known server shows of the CRD. */
  readonly servers?: readonly ServerSight[]
  /** The user named this resource: it is rewritten even if its storage version is not published. */
  readonly isNamed: boolean
}

const not = (because: string): TargetDecision => ({ agreed: false, because })
const notByCrd = (because: string): TargetDecision => ({ agreed: false, because, isAboutCrd: true })
const found = <T>(sight: Observed<T>): T | undefined => (sight.kind === 'found' ? sight.object : undefined)

/**
 * The target of a migration, or why there is none yet. The strongest source decides alone: while it says that servers
 * disagree, weaker sources do not count.
 */
export function decideTarget(seen: TargetObservation): TargetDecision {
  if (seen.origin) return fromOrigin(seen.resource, seen.origin)
  const definition = found(seen.definition)
  const state = definition === undefined ? undefined : stateOf(definition)
  if (typeof state === 'string') return notByCrd(state)
  const agreement = found(seen.agreement)
  if (agreement && seen.passedOnBy !== undefined) {
    return not(
      `the APIService ${seen.passedOnBy} passes requests on to another server, so its objects may be in two stores`,
    )
  }
  if (agreement) return fromRecord(seen.resource, agreement, state)
  const storageVersion = found(seen.storageVersion)
  if (storageVersion) return fromStorageVersion(seen, storageVersion, state)
  if (state) {
    const servers = seen.servers ?? []
    const behind = definition && whyBehind(definition, servers)
    if (behind !== undefined) return not(behind)
    const encodingVersion = apiVersionOf(seen.resource.group, state.storageVersion)
    const isBelieved = definition !== undefined && storedVersionsDoubt(definition) === undefined
    const storedVersions = isBelieved ? definition.status.storedVersions : undefined
    const target = { ...base(seen.resource, state), how: 'definition', encodingVersion } as const
    const shownBy = countShowing(servers)
    return {
      ...agreed(target),
      ...(storedVersions ? { storedVersions } : {}),
      ...(shownBy > 0 ? { shownBy } : {}),
    }
  }
  return fromDiscovery(seen)
}

/** A CRD of this cluster says nothing about another store, and its stored versions must not be pruned because of it. */
function fromOrigin(resource: GroupResource, seen: OriginObservation): TargetDecision {
  const decision = decideOrigin(resource, seen)
  return decision.kind === 'record' ? fromRecord(resource, decision.record, undefined) : not(decision.because)
}

const agreed = (target: MigrationTarget): TargetDecision => ({ agreed: true, target })

function base(resource: GroupResource, definition: DefinitionState | undefined) {
  const { group, resource: plural } = resource
  return { resource: { group, resource: plural }, fenced: false, ...(definition ? { definition } : {}) }
}

/** The state of the CRD; a text says why its objects cannot be migrated now. */
function stateOf(definition: CustomResourceDefinition): DefinitionState | string {
  const { name = '', uid = '', generation = 0, deletionTimestamp } = definition.metadata
  if (deletionTimestamp !== undefined) return `the CRD ${name} is being deleted`
  const storageVersion = storageVersionNameOf(definition)
  if (storageVersion === undefined) return `the CRD ${name} has no storage version`
  const established = definition.status.conditions?.find(({ type }) => type === 'Established')
  if (established?.status !== 'True') return `the CRD ${name} is not established`
  return { uid, generation, storageVersion }
}

function fromRecord(
  resource: GroupResource,
  { metadata, status }: StorageAgreement,
  definition: DefinitionState | undefined,
): TargetDecision {
  const condition = (type: AgreementConditionType) => status.conditions.find((each) => each.type === type)
  const equal = condition('AllEncodingVersionsEqual')
  if (equal?.status !== 'True') return not(equal?.message || 'servers do not write the same')
  // Rule 16: two releases, or two keys, may write one version in different bytes. Strict and loose servers write the same bytes;
  // one loose server makes the record unfenced, so nothing is proven (rule 14).
  const ways = writtenEncodings(status.encodings)
  if (ways.length !== 1) return not(`servers write one version in ${ways.length} ways: ${ways.join('; ')}`)
  const reported = condition('AllServersReported')
  const encodingVersion = status.agreedVersion
  if (reported?.status !== 'True' || encodingVersion === undefined) {
    const because = reported?.message || 'not all servers have reported'
    return { agreed: false, because, waitingIn: status.epoch }
  }
  const wanted = definition && apiVersionOf(resource.group, definition.storageVersion)
  if (wanted !== undefined && wanted !== encodingVersion) {
    return notByCrd(`the CRD stores ${wanted}, servers still write ${encodingVersion}`)
  }
  const fenced = condition('Fenced')?.status === 'True'
  const since = status.epochRevision === undefined ? metadata.resourceVersion : String(status.epochRevision)
  const target: MigrationTarget = {
    ...base(resource, definition),
    how: 'record',
    fenced,
    encodingVersion,
    ...(metadata.uid === undefined ? {} : { recordUID: metadata.uid }),
    epoch: status.epoch,
    ...(fenced && since !== undefined ? { epochResourceVersion: since } : {}),
  }
  const [writeKey, ...others] = new Set(status.servers.map((each) => each.writeKey))
  const isEncrypted = writeKey !== undefined && writeKey !== plainKey && others.length === 0
  return { ...agreed(target), ...decodableBy(status), ...(isEncrypted ? { writeKey } : {}) }
}

/** Empty if servers without an entry may exist: what they decode is unknown. */
function decodableBy({ servers, unseenProcesses = [] }: StorageAgreement['status']): {
  readonly decodable?: readonly string[]
} {
  if (servers.length === 0 || unseenProcesses.length > 0) return {}
  return { decodable: [...new Set(servers.flatMap((each) => each.decodableVersions))].sort() }
}

function fromStorageVersion(
  { resource, identities, isServedElsewhere = false }: TargetObservation,
  { metadata, status }: StorageVersion,
  definition: DefinitionState | undefined,
): TargetDecision {
  const encodingVersion = status.commonEncodingVersion
  const name = metadata.name ?? agreementName(resource)
  // A mirror may be old: what it shows may be long over in the store that it shows.
  if (metadata.annotations?.[originsAnnotation] !== undefined) {
    return not(`the StorageVersion ${name} only shows the record of aggregated servers that do not serve it`)
  }
  if (encodingVersion === undefined || encodingVersion === '') {
    const { conditions, storageVersions: entries = [] } = status
    if (new Set(entries.map((each) => each.encodingVersion)).size > 1) return not(differenceOf(entries))
    const equal = conditions?.find(({ type }) => type === 'AllEncodingVersionsEqual')
    return not(equal?.message || `the StorageVersion ${name} has no common encoding version`)
  }
  // Upstream counts only servers that have reported. A live server that has not reported may write another version (rule 11). If
  // no live server has reported, either other servers serve the resource, or all servers were replaced at once and the old
  // entries are not collected yet: then these say nothing about what is written now.
  const missing = missingReporters(identities, status)
  if (missing.length > 0 && !(isServedElsewhere && missing.length === identities.length)) {
    return not(`no entry in the StorageVersion ${name} from ${missing.join(', ')}`)
  }
  const wanted = definition && apiVersionOf(resource.group, definition.storageVersion)
  if (wanted !== undefined && wanted !== encodingVersion) {
    return notByCrd(`the CRD stores ${wanted}, servers still write ${encodingVersion}`)
  }
  const { resourceVersion = '' } = metadata
  return agreed({ ...base(resource, definition), how: 'storageversion', encodingVersion, resourceVersion })
}

/** Upstream's own message only says "Common encoding version unset". */
function differenceOf(entries: readonly ServerStorageVersion[]): string {
  const each = entries.map(
    ({ apiServerID, encodingVersion }) => `${apiServerID}: ${versionNameOf(encodingVersion)}`,
  )
  return `servers encode different versions (${each.join(', ')}): finish the upgrade or roll it back`
}

/** Live servers without an entry. */
export function missingReporters(
  identities: readonly string[],
  { storageVersions = [] }: StorageVersion['status'],
): readonly string[] {
  const reported = new Set(storageVersions.map(({ apiServerID }) => apiServerID))
  return identities.filter((id) => !reported.has(id))
}

function fromDiscovery({ resource, hashes, isNamed, ...seen }: TargetObservation): TargetDecision {
  const said = new Set(hashes)
  const [hash] = said
  if (said.size > 1) {
    return not(`servers publish different hashes: ${[...said].map((each) => each ?? 'none').join(', ')}`)
  }
  if (hash !== undefined && hash !== '')
    return agreed({ ...base(resource, undefined), how: 'discovery', hash })
  if (isNamed && said.size === 1) return agreed({ ...base(resource, undefined), how: 'unpublished' })
  const hidden = seen.agreement.kind === 'hidden' || seen.storageVersion.kind === 'hidden'
  const why = hidden ? ' that we may see' : ''
  return not(`nothing is published about the storage of ${groupResourceText(resource)}${why}`)
}
