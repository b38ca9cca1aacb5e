import type { MemoryData } from '@strata/server/store'
import { integer, type Random } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { count } from '../coverage.ts'
import type { History } from '../history.ts'
import type { Fleet } from './fleet.ts'
import type { Restoring } from './restored-watches.ts'
import type { Shape } from './shape.ts'

export interface RestorerParts {
  readonly simulation: Simulation
  readonly data: MemoryData
  readonly history: History
  readonly fleet: Fleet
  readonly restoring: Restoring
  readonly shape: Pick<Shape, 'restores' | 'troubleMs'>
  /** Whether the process cannot reach the store. */
  readonly isCutOff: (writer: string) => boolean
}

/** A backup is at most so old. */
const oldestMs = 40_000
/** How often it is looked whether the store may be restored now. */
const retryMs = 500

/**
 * Restores the store from a backup under running servers (rule 19): at least one of them is ready and reaches the
 * store. A fleet in which no server knows the store as it was cannot notice, which is documented.
 */
export function restoreSometimes(parts: RestorerParts): void {
  const { simulation, shape } = parts
  const random = simulation.fork('restores')
  const lastMs = shape.troubleMs - 10_000
  const attempt = (): void => {
    if (simulation.nowMs > lastMs || restore(parts, random)) return
    simulation.schedule(retryMs, 'restore', attempt)
  }
  for (let each = 0; each < shape.restores; each++) {
    simulation.schedule(15_000 + integer(random, Math.max(1, lastMs - 15_000)), 'restore', attempt)
  }
}

/** False if it has to be tried again later. */
function restore(
  { simulation, data, history, fleet, isCutOff, restoring }: RestorerParts,
  random: Random,
): boolean {
  const canNotice = fleet.alive.some(
    ({ process, server, leaving }) => server.ready && !leaving && !process.frozen && !isCutOff(process.id),
  )
  const sinceMs = simulation.nowMs - integer(random, oldestMs)
  const first = history.restores.at(-1)?.commitsBefore ?? 0
  const lost = history.commits.findIndex(({ atMs }, index) => index >= first && atMs >= sinceMs)
  // Between commits: no backup has a part of one.
  const revision = history.commits[lost - 1]?.changes.at(-1)?.revision
  if (!canNotice || lost < first + 20 || revision === undefined) return false
  const highest = data.revision
  try {
    data.restoreTo(revision)
  } catch {
    // Compacted: there is no such backup.
    return false
  }
  simulation.trace('the store is restored from a backup', { revision, highest })
  count(history.counts, 'fault: store restored from a backup')
  history.restores.push({
    ...{ atMs: simulation.nowMs, revision, highest },
    commitsBefore: history.commits.length,
  })
  restoring.fire()
  return true
}
