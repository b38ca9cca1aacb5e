import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  groupResourceText,
  versionsOf,
} from '@strata/api'
import { type DiscoveredResource, isTransient, type ResourceAddress } from '@strata/client'
import type { CliContext } from '../context.ts'
import { verdictExits } from '../migration/evidence/decide-evidence.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import { instancesOf, nextAfterRefusal } from '../migration/evidence/prune-definition.ts'
import { missingText, neededRights, observeMissing } from '../migration/records/migration-rights.ts'
import type { Cluster } from '../migration/resources/cluster.ts'
import { pagesWithRetries } from '../migration/resources/list-pages.ts'
import {
  isTransientForReading,
  type LookOptions,
  patienceMs,
  readMs,
  withRetries,
} from '../migration/run/read-with-retries.ts'
import { type Acceptance, acceptedExit } from '../output/exit-codes.ts'
import type { CleanReport } from './clean-report.ts'
import { decideDeadVersions } from './dead-versions.ts'
import { type CleanEvidence, decideCleanEvidence } from './decide-clean-evidence.ts'
import { decideKeptFields } from './decide-kept-fields.ts'
import { OwnershipTally } from './ownership.ts'

export interface CleanOptions {
  readonly versions: readonly string[]
  readonly accept: Acceptance
  readonly dryRun: boolean
  readonly concurrency: number
  readonly qps: number | undefined
  readonly pageSize: number
}

/** What would be cleaned in the objects of one CRD. */
export interface CleanPlan {
  readonly kind: 'ready'
  readonly definition: CustomResourceDefinition
  readonly address: ResourceAddress
  readonly isDead: (version: string) => boolean
  readonly evidence: CleanEvidence
  /** As far as it is known before the first write. */
  readonly seen: Pick<CleanReport, 'definition' | 'verdict' | 'objects' | 'affected' | 'ownership'>
}

export type Planned = CleanPlan | { readonly kind: 'over'; readonly report: CleanReport }

export const commandName = 'clean-managed-fields'
const lookMs = 60_000
const looking: LookOptions = {
  ...{ limitMs: lookMs, patienceMs, isWorthIt: isTransient },
  onWait: () => {},
}
const reading: LookOptions = { ...looking, limitMs: readMs, isWorthIt: isTransientForReading }

export type Access = Pick<Cluster, 'client'>

export function readDefinition(
  { client }: Access,
  name: string,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<CustomResourceDefinition> {
  const definitions = client.resource(customResourceDefinitions, 'v1')
  return withRetries(context, (each) => definitions.get({ name }, each), looking)
}

/** Reads everything that the decision needs, and writes nothing. */
export async function planClean(
  cluster: Cluster,
  name: string,
  options: CleanOptions,
  context: CliContext,
): Promise<Planned> {
  // The evidence comes first: the CRD is the one that it is about, or a later one that dropped more versions.
  const resource = instancesOf(await readDefinition(cluster, name, context))
  const observed = await withRetries(context, (each) => observeEvidence(cluster, resource, each), reading)
  const definition = await readDefinition(cluster, name, context)
  const over = (report: Omit<CleanReport, 'definition'>): Planned => ({
    kind: 'over',
    report: { definition: name, ...report },
  })
  const dead = decideDeadVersions(definition, options.versions)
  if (dead.kind === 'refused') {
    const { because, isStored } = dead
    return over({
      ...{ result: 'refused', because, exit: 'incomplete' },
      ...(isStored ? { next: `strata prune ${name}` } : {}),
    })
  }
  const versionName = servedVersionOf(definition)
  if (versionName === undefined)
    return over({ result: 'not seen', because: 'no version of it is served', exit: 'notSeen' })
  const address = { group: resource.group, resource: resource.resource, versionName }
  const lacked = await missingRights(cluster, { ...resource, versionName }, context)
  if (lacked !== undefined) return over({ result: 'not seen', because: lacked, exit: 'notSeen' })
  const { objects, tally } = await survey(cluster, address, dead.isDead, options.pageSize, context)
  const counts = { objects, affected: tally.affected }
  if (tally.affected === 0) {
    const because = 'no object has managedFields of a version that the CRD no longer has or serves'
    return over({ result: 'nothing to clean', because, exit: 'nothingToDo', ...counts })
  }
  const ownership = tally.list()
  const owned = ownership.map(({ version }) => version)
  const evidence = decideCleanEvidence(observed, definition, owned)
  const { verdict } = evidence
  const seen = { ...counts, verdict, ownership }
  const exit = verdictExits[verdict]
  if (acceptedExit(exit, options.accept) !== 0) {
    const because = `${verdict}: ${evidence.because}`
    const next = nextAfterRefusal(name, evidence, commandName)
    return over({ result: 'refused', because, exit: refusedExit(exit), next, ...seen })
  }
  return {
    ...{ kind: 'ready', definition, address, evidence, isDead: dead.isDead },
    seen: { definition: name, ...seen },
  }
}

/** A result that was not accepted is a refusal, and no success of a lesser kind. */
const refusedExit = (exit: CleanReport['exit']): CleanReport['exit'] =>
  exit === 'aborted' ? 'aborted' : 'incomplete'

/** The storage version, which needs no conversion, if it is served. */
function servedVersionOf(definition: CustomResourceDefinition): string | undefined {
  const served = versionsOf(definition).filter((each) => each.served)
  return (served.find(({ storage }) => storage) ?? served[0])?.name
}

async function missingRights(
  { client }: Access,
  resource: DiscoveredResource,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<string | undefined> {
  const rights = neededRights({ ...resource, verbs: ['patch'] }, [])
  const missing = await withRetries(context, (each) => observeMissing(client, rights, each), looking)
  if (missing.length === 0) return undefined
  const name = groupResourceText(resource)
  const remedy = `an administrator can grant what "strata rbac ${commandName} ${name}" prints`
  return missingText(missing, name, remedy)
}

async function survey(
  { client }: Access,
  address: ResourceAddress,
  isDead: (version: string) => boolean,
  pageSize: number,
  context: CliContext,
): Promise<{ readonly objects: number; readonly tally: OwnershipTally }> {
  const tally = new OwnershipTally()
  let objects = 0
  for await (const page of metadataPages(client, address, pageSize, context)) {
    for (const { metadata } of page)
      tally.add(decideKeptFields(metadata.managedFields, address.group, isDead).dropped)
    objects += page.length
    context.progress?.(`${address.resource}.${address.group}: ${objects} objects read`)
  }
  context.progress?.('')
  return { objects, tally }
}

/** All objects, with their metadata only. */
export function metadataPages(
  client: Cluster['client'],
  address: ResourceAddress,
  pageSize: number,
  context: Pick<CliContext, 'world' | 'signal'>,
) {
  const objects = client.metadata(address)
  return pagesWithRetries(context, (page, signal) => objects.listPage(page, signal), pageSize)
}
