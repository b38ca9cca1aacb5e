import { decideUnseenNames, type StorageAgreement, type UnseenMemory } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Clock, Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'

export interface UnseenNamesGcOptions {
  readonly agreements: ResourceClient<StorageAgreement>
  /** What the watch has told. A removal that rests on an old view is safe: a process that lives puts its name in again. */
  readonly known: ReadonlyMap<string, StorageAgreement>
  readonly clock: Clock
  readonly log: Log
}

/** The key of this work in a queue whose other keys are names of records; no record has this name. */
export const unseenNamesKey = 'unseen processes'

/** Takes the names of processes without an identity out of agreement records when the processes have ended (rule 18). */
export function createUnseenNamesGc({ agreements, known, clock, log }: UnseenNamesGcOptions): Reconciler {
  let memory: ReadonlyMap<string, UnseenMemory> = new Map()

  /** False when somebody else has changed the record meanwhile. */
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
      let isOvertaken = false
      for (const [name, removals] of byRecord) {
        const processes = removals.map(({ process }) => process)
        log.info('removing names of servers without an identity; those that live come back', {
          record: name,
          processes: processes.slice(0, 3).join(', '),
          count: processes.length,
        })
        if (await remove(name, processes, signal)) continue
        isOvertaken = true
        // Not challenged after all.
        for (const each of processes) {
          const before = memory.get(each)
          if (before && !before.challenge) next.set(each, before)
        }
      }
      memory = next
      if (isOvertaken) return { lookAgainMs: 1_000 }
      return decided.lookAgainMs === undefined ? undefined : { lookAgainMs: decided.lookAgainMs }
    },
  }
}
