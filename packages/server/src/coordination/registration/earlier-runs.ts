import type { decideUnseenNames, StorageAgreement, UnseenMemory } from '@strata/api'
import { deadline, jitter, severalAtOnce, sleep, type World } from '@strata/world'
import type { Store } from '../../store/index.ts'
import { agreementKind, agreementPrefix } from '../frozen-kinds.ts'
import { guardedRunsOf } from '../identity/unseen-names.ts'
import type { AgreementRecords } from '../record/agreement-records.ts'
import { atOnce } from './marked-loop.ts'

/** The first pause between two challenges of a process. It doubles each time the process answers. */
const firstIntervalMs = 60_000

export interface EarlierRunsParts {
  readonly store: Store
  readonly world: World
  readonly records: AgreementRecords
  readonly self: { readonly serverID: string; readonly process: string }
  readonly rules: { readonly decideUnseenNames: typeof decideUnseenNames }
  /** The longest time between two rounds. */
  readonly intervalMs: number
}

/**
 * Challenges other processes without an identity under the own server ID (rule 18), because there may be no collector. It
 * removes the name from one record, and from all records if the name does not come back, also from records of resources that
 * this server does not serve. Until then the process counts, because it may live. Otherwise: B, which reads key `one`, lags;
 * its twin removes it everywhere, finds that all servers read key `two`, and writes under `two`; B answers 500.
 */
export class EarlierRuns {
  readonly #parts: EarlierRunsParts
  #memory: ReadonlyMap<string, UnseenMemory> | undefined

  constructor(parts: EarlierRunsParts) {
    this.#parts = parts
  }

  /** Runs until the signal is aborted. Failures are retried. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, intervalMs } = this.#parts
    const { clock, random, log } = world
    while (!signal.aborted) {
      const limit = deadline(clock, 30_000, signal)
      const waitMs = await this.look(limit.signal).catch((error: unknown) => {
        if (!signal.aborted) {
          log.warn('could not remove the names of earlier runs; retrying', { error: String(error) })
        }
        return 5_000
      })
      limit.dispose()
      await sleep(clock, jitter(random, Math.min(intervalMs, waitMs ?? intervalMs), 0.1), signal).catch(
        () => {},
      )
    }
  }

  /** Challenges names, and removes those that did not come back. Returns the pause before the next call, if a name is left. */
  async look(signal: AbortSignal): Promise<number | undefined> {
    const { store, world, rules } = this.#parts
    const { entries } = await store.list({ prefix: agreementPrefix }, signal)
    const records = entries.map((entry) => this.#withEarlierRuns(agreementKind.decode(entry)))
    const nowMs = world.clock.monotonicMs()
    // A process that was named before this one started has most likely ended: it is challenged at once.
    const due = { sinceMs: nowMs - firstIntervalMs, intervalMs: firstIntervalMs }
    const memory = this.#memory ?? new Map(runsIn(records).map((process) => [process, due]))
    const decided = rules.decideUnseenNames({ records, memory, nowMs })
    const removals = Map.groupBy(decided.remove, ({ record }) => record)
    await severalAtOnce(atOnce, records, async ({ metadata, spec }) => {
      const gone = removals.get(metadata.name ?? '')?.map(({ process }) => process)
      if (gone) await this.#remove(spec, gone, signal)
    })
    this.#memory = decided.memory
    return decided.lookAgainMs
  }

  #withEarlierRuns(record: StorageAgreement): StorageAgreement {
    const { serverID, process } = this.#parts.self
    const unseenProcesses = guardedRunsOf(record, serverID).filter((each) => each !== process)
    return { ...record, status: { ...record.status, unseenProcesses } }
  }

  async #remove(
    resource: StorageAgreement['spec'],
    gone: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.#parts.records.change(
      resource,
      ({ stored, entries }) => {
        const named = stored?.record.status.unseenProcesses ?? []
        const unseen = named.filter((each) => !gone.includes(each))
        return unseen.length === named.length ? undefined : { entries, guards: [], unseen }
      },
      signal,
    )
  }
}

function runsIn(records: readonly StorageAgreement[]): readonly string[] {
  return records.flatMap(({ status }) => status.unseenProcesses ?? [])
}
