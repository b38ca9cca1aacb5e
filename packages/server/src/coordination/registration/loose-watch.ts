import { type AgreementStatus, looseSettledMs } from '@strata/api'
import { looseMarkKey } from '../record/decide-loose-marks.ts'

/**
 * Since when this server has seen the marks of loose processes (rule 14), on its own monotonic clock: times in a record come
 * from another clock. If this server was suspended meanwhile, that is harmless: time went on for the loose process.
 */
export class LooseWatch {
  readonly #seen = new Map<string, ReadonlyMap<string, number>>()

  observe(resource: string, status: Pick<AgreementStatus, 'looseUntilSettled'>, nowMs: number): void {
    const before = this.#seen.get(resource)
    const marks = status.looseUntilSettled ?? []
    if (marks.length === 0) this.#seen.delete(resource)
    else {
      const keys = marks.map(looseMarkKey)
      this.#seen.set(resource, new Map(keys.map((key) => [key, before?.get(key) ?? nowMs])))
    }
  }

  /** Keys of the marks that have stood for long enough. */
  settled(resource: string, nowMs: number): ReadonlySet<string> {
    const seen = [...(this.#seen.get(resource) ?? [])]
    return new Set(seen.filter(([, sinceMs]) => nowMs - sinceMs >= looseSettledMs).map(([key]) => key))
  }

  /** Resources with a mark that has stood for long enough. */
  due(nowMs: number): string[] {
    return [...this.#seen.keys()].filter((resource) => this.settled(resource, nowMs).size > 0)
  }
}
