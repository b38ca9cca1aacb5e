import { ApiError, customResourceDefinitions, type GroupResource, groupResourceText } from '@strata/api'
import { loadReleaseTable, minorOf } from '@strata/api/kubernetes-releases'
import { isForbidden } from '@strata/client'
import type { Cluster } from '../migration/resources/cluster.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { type DefinitionFacts, definitionFacts } from '../stored/definition-facts.ts'
import { type AdmissionRules, observeAdmission } from './observe-admission.ts'
import { observeHelm, type ReleasedKind } from './observe-helm.ts'
import type { Unseen, UnseenKind } from './resource-facts.ts'
import type { KnownRelease } from './storage-version.ts'

/** What is read once for all resources. */
export interface SharedSight {
  readonly definitions: ReadonlyMap<string, DefinitionFacts>
  readonly helm: readonly ReleasedKind[]
  readonly admission: readonly AdmissionRules[]
  readonly unseen: readonly Unseen[]
  /** Of a cluster that is not Strata's. */
  readonly release?: KnownRelease | undefined
}

const definitionsPerPage = 50

export async function observeShared(
  { client, discovery, isStrata }: Cluster,
  signal: AbortSignal,
): Promise<SharedSight> {
  const unseen: Unseen[] = []
  const definitions = await seeOr(unseen, 'CRDs', [], signal, () => listDefinitions(client, signal))
  const helm = await seeOr(unseen, 'Helm releases', { found: [], unreadable: [] }, signal, () =>
    observeHelm(client, signal),
  )
  if (helm.unreadable.length > 0)
    unseen.push({ what: 'Helm releases', because: `${helm.unreadable.join(', ')} cannot be unpacked` })
  const admission = await seeOr(unseen, 'admission webhooks', [], signal, () =>
    observeAdmission(client, discovery.resources, signal),
  )
  return {
    definitions: new Map(definitions.map((each) => [groupResourceText(each), each])),
    helm: helm.found,
    admission,
    unseen,
    release: isStrata ? undefined : await observeRelease(client, signal),
  }
}

/** Only a help: without it, a storage version that discovery does not name is not seen. */
async function observeRelease(
  client: Cluster['client'],
  signal: AbortSignal,
): Promise<KnownRelease | undefined> {
  try {
    const { gitVersion = '' } = await client.version(signal)
    const minor = minorOf(gitVersion)
    if (minor === undefined) return undefined
    const table = await loadReleaseTable()
    return table.tagOf(minor) === undefined ? undefined : { table, minor }
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) throw error
    return undefined
  }
}

/** Page by page: a CRD may have megabytes of schema, and there may be hundreds. */
async function listDefinitions(
  client: Cluster['client'],
  signal: AbortSignal,
): Promise<readonly DefinitionFacts[]> {
  const found: DefinitionFacts[] = []
  let continueToken: string | undefined
  do {
    const page = await client
      .resource(customResourceDefinitions, 'v1')
      .listPage({ limit: definitionsPerPage, continueToken }, signal)
    found.push(...page.items.flatMap((each) => definitionFacts(each) ?? []))
    continueToken = page.metadata.continue
  } while (continueToken !== undefined && continueToken !== '')
  return found
}

/** A part that cannot be read does not keep the others from being shown: it is noted, with the right that is missing. */
export async function seeOr<T>(
  unseen: Unseen[],
  what: UnseenKind,
  otherwise: T,
  signal: AbortSignal,
  see: () => Promise<T>,
): Promise<T> {
  try {
    return await see()
  } catch (error) {
    signal.throwIfAborted()
    unseen.push({ what, because: whyNot(error) })
    return otherwise
  }
}

/** The server's own words name the user, the verb and the resource. */
export function whyNot(error: unknown): string {
  if (error instanceof ApiError && isForbidden(error)) {
    const [, verb = '', resource = '', group = ''] =
      /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(error.message) ?? []
    if (verb !== '') {
      const named: GroupResource = { group, resource }
      return `the right to ${verb} ${groupResourceText(named)} is missing`
    }
  }
  return notSeenError('it could not be read', error).message
}
