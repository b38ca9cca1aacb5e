import { decideUnseenNames, type StorageAgreement, type UnseenMemory } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Clock, Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'

export interface UnseenNamesGcOptions {
  readonly agreements: ResourceClient<StorageAgreement>
  /** The store of the informer. A removal based on an old state is safe: a live process adds its name again. */
  readonly known: ReadonlyMap<string, StorageAgreement>
  readonly clock: Clock
  readonly log: Log
}

/** The key of this work in the queue. All other keys are names of records; no record has this name. */
export const unseenNamesKey = 'unseen processes'

/** Removes the names of ended processes without an identity from agreement records (docs/design/agreement.md, rule 18). */
export function createUnseenNamesGc({ agreements, known, clock, log }: UnseenNamesGcOptions): Reconciler {
  let memory: ReadonlyMap<string, UnseenMemory> = new Map()

  /** False if the record was changed meanwhile. */
  const remove = async (name: string, gone: readonly string[], signal: AbortSignal): Promise<boolean> => {
    try {
      const record = await agreements.get({ name }, signal)
      const { status } = record
      const unseenProcesses = (status.unseenProcesses ?? []).filter((each) => !gone.includes(each))
      if (unseenProcesses.length === (status.unseenProcesses ?? []).length) return true
      await agreements.update({ ...record, status: { ...status, unseenProcesses } }, signal)
      return true
    } catch (error) {
      if (isAbsence(error, agreements.address, name)) return true
      if (!isConflict(error)) throw error
      return false
    }
  }

  return {
    reconcile: async (_key, signal) => {
      const decided = decideUnseenNames({ records: [...known.values()], memory, nowMs: clock.monotonicMs() })
      const byRecord = Map.groupBy(decided.remove, ({ record }) => record)
      const next = new Map(decided.memory)
      let hasLostRace = false
      for (const [name, removals] of byRecord) {
        const processes = removals.map(({ process }) => process)
        log.info('removing names of servers without an identity; live servers add theirs again', {
          record: name,
          processes: processes.slice(0, 3).join(', '),
          count: processes.length,
        })
        if (await remove(name, processes, signal)) continue
        hasLostRace = true
        // Their names were not removed after all.
        for (const each of processes) {
          const before = memory.get(each)
          if (before && !before.challenge) next.set(each, before)
        }
      }
      memory = next
      if (hasLostRace) return { lookAgainMs: 1_000 }
      return decided.lookAgainMs === undefined ? undefined : { lookAgainMs: decided.lookAgainMs }
    },
  }
}
