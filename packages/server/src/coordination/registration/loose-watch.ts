import { type AgreementStatus, looseSettledMs } from '@strata/api'
import { looseMarkKey } from '../record/decide-loose-marks.ts'

/**
 * Since when this server has seen the marks of loose processes (rule 14), on its own monotonic clock: what a record says
 * of the time is another clock's. That it was asleep meanwhile does no harm, for the others' time went on.
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

  /** Resources that have such marks. */
  due(nowMs: number): string[] {
    return [...this.#seen.keys()].filter((resource) => this.settled(resource, nowMs).size > 0)
  }
}
