import { type ApiObject, apiVersionOf, type CustomResourceDefinition } from '@strata/api'
import { isAbsence, isTransient } from '@strata/client'
import { severalAtOnce } from '@strata/world'
import { pagesWithRetries } from '../../migration/resources/list-pages.ts'
import { patienceMs, withRetries } from '../../migration/run/read-with-retries.ts'
import { comparison } from './compare-stored.ts'
import type { ComparedObjects } from './compared-objects.ts'
import type { LossFinding } from './loss-groups.ts'
import type { UpgradeSession } from './upgrade-options.ts'

const pageSize = 500
const oneRequestMs = 60_000
/** Controllers may write some objects all the time. */
const mostRounds = 5

export interface RecentOptions {
  readonly live: CustomResourceDefinition
  readonly stages: readonly CustomResourceDefinition[]
  readonly versions: readonly string[]
  readonly compared: ComparedObjects
  readonly onObject: (object: ApiObject, findings: readonly LossFinding[]) => void
}

/**
 * Compares the objects that others have written since they were compared, until there is none. Reading every object takes long; a
 * list of their metadata is short.
 */
export async function compareRecent(session: UpgradeSession, options: RecentOptions): Promise<void> {
  for (let round = 1; round <= mostRounds; round++) {
    const recent = await listRecent(session, options)
    if (recent.length === 0) return
    await severalAtOnce(session.options.concurrency, recent, (each) => compareOne(session, options, each))
  }
}

async function listRecent(
  { cluster, context }: UpgradeSession,
  { live, versions, compared }: RecentOptions,
): Promise<readonly ApiObject[]> {
  const [versionName] = versions
  if (versionName === undefined) return []
  const { group, names } = live.spec
  const metadata = cluster.client.metadata({ group, versionName, resource: names.plural })
  const recent: ApiObject[] = []
  for await (const items of pagesWithRetries(
    context,
    (page, signal) => metadata.listPage(page, signal),
    pageSize,
  ))
    recent.push(...items.filter((each) => !compared.has(versions, each)))
  return recent
}

async function compareOne(
  { cluster, context }: UpgradeSession,
  { live, stages, versions, compared, onObject }: RecentOptions,
  { metadata: { namespace, name = '' } }: ApiObject,
): Promise<void> {
  const { group, names } = live.spec
  const compare = comparison(live, stages)
  const reference = { name, ...(namespace === undefined ? {} : { namespace }) }
  for (const versionName of versions) {
    const objects = cluster.client.resource({ group, versionName, resource: names.plural })
    const look = { limitMs: oneRequestMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
    try {
      const read = await withRetries(context, (signal) => objects.get(reference, signal), look)
      const object = { ...read, apiVersion: apiVersionOf(group, versionName), kind: names.kind }
      onObject(object, compare(object))
      compared.see(versionName, object)
    } catch (error) {
      if (!isAbsence(error, objects.address, name)) throw error
      // It is gone.
      return
    }
  }
}
