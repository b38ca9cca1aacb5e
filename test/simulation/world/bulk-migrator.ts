import type { GroupResource, StorageCensusStatus, StorageReencodeStatus } from '@strata/api'
import type { MigrationTarget } from '@strata/controllers'
import type { Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import type { MigrationRun } from '../history.ts'
import { aggregatedGroup } from '../keys.ts'
import type { MigratorSabotage } from './migrator.ts'
import { request } from './request.ts'

export interface BulkMigratorParts {
  readonly process: SimProcess
  /** Whatever server answers. */
  readonly transport: Transport
  readonly nowMs: () => number
  readonly sabotage?: Pick<MigratorSabotage, 'isUncounted'> | undefined
}

/** So few at a time that something happens in between. */
const limit = 3

/**
 * Has servers write a resource again next to the data, batch by batch under the epoch of the target, and counts afterwards.
 * A batch that fails is asked for again by the next one who migrates.
 */
export async function migrateInBulk(
  parts: BulkMigratorParts,
  target: MigrationTarget,
  run: MigrationRun,
): Promise<MigrationRun['end']> {
  const { epoch, encodingVersion, resource } = target
  const isUncounted = parts.sabotage?.isUncounted === true
  let token: string | undefined
  do {
    const spec = { ...resource, epoch, encodingVersion, limit, ...(token ? { continueToken: token } : {}) }
    const asked = ask<StorageReencodeStatus>(parts, 'storagereencodes', 'StorageReencode', spec)
    const status = isUncounted ? await asked.catch(() => undefined) : await asked
    const isWritten = status !== undefined && status.outcome !== 'EpochMoved'
    if (isUncounted && !isWritten) return endOf(parts, 'succeeded')
    if (status?.outcome === 'EpochMoved') return endOf(parts, 'aborted')
    token = status?.continueToken
  } while (token !== undefined)
  if (isUncounted) return endOf(parts, 'succeeded')
  return count(parts, resource, run)
}

/** What a census says is proven is what is held against it; another epoch's as well. */
async function count(
  parts: BulkMigratorParts,
  resource: GroupResource,
  run: MigrationRun,
): Promise<MigrationRun['end']> {
  run.lastLookMs = parts.nowMs()
  const census: StorageCensusStatus = await ask(parts, 'storagecensuses', 'StorageCensus', resource)
  const { epoch, encodingVersion } = run.target
  run.revision = Number(census.resourceVersion)
  const isOfTarget = census.epoch === epoch && census.agreedVersion === encodingVersion
  const isClean = census.stale === 0 && census.unreadable === 0
  if (!isOfTarget) return endOf(parts, 'aborted')
  return census.proven && isClean ? endOf(parts, 'succeeded') : endOf(parts, 'incomplete')
}

function endOf({ nowMs }: BulkMigratorParts, outcome: 'succeeded' | 'incomplete' | 'aborted') {
  return {
    endMs: nowMs(),
    outcome,
    proof: outcome === 'succeeded' ? ('proven' as const) : ('unknown' as const),
  }
}

/** An aggregated server answers in the group of its kind, the only one that is passed on to it. */
const groupVersionOf = ({ group }: Partial<GroupResource>): string =>
  group === aggregatedGroup ? `${aggregatedGroup}/v1` : 'strata.dev/v1alpha1'

async function ask<T>(
  { process, transport }: BulkMigratorParts,
  plural: string,
  kind: string,
  spec: Partial<GroupResource>,
): Promise<T> {
  const { status, body } = await request(process, transport, {
    method: 'POST',
    target: `/apis/${groupVersionOf(spec)}/${plural}`,
    body: { apiVersion: 'strata.dev/v1alpha1', kind, metadata: {}, spec },
    timeoutMs: 12_000,
  })
  if (status !== 201) throw new Error(`${kind}: ${status} ${body.message}`)
  return body.status
}
