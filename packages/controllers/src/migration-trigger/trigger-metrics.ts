import { metricFamily } from '../engine/metric-family.ts'
import type { SourceView } from './source-view.ts'

/** The last decision about a resource. */
export type DecisionWord = 'asked' | 'cancelled' | 'waits' | 'clean'

interface Series {
  readonly group: string
  readonly resource: string
  readonly source: SourceView['kind']
  readonly decision: DecisionWord
}

const words: readonly DecisionWord[] = ['asked', 'cancelled', 'waits', 'clean']

/** Metrics of the trigger since the process began, for Prometheus. */
export class TriggerMetrics {
  readonly #series = new Map<string, Series>()
  readonly #polls = { complete: 0, partial: 0, failed: 0 }
  readonly #done = { asked: 0, cancelled: 0 }
  #errors = 0

  decided(key: string, series: Series, counts: { readonly asked: number; readonly cancelled: number }): void {
    this.#series.set(key, series)
    this.#done.asked += counts.asked
    this.#done.cancelled += counts.cancelled
  }

  /** Nothing is decided about it any more. */
  forget(key: string): void {
    this.#series.delete(key)
  }

  polled(result: 'complete' | 'partial' | 'failed'): void {
    this.#polls[result]++
  }

  failed(): void {
    this.#errors++
  }

  text(): string {
    const all = [...this.#series.values()]
    const sources = [...new Set(all.map(({ source }) => source))].sort()
    const prefix = 'strata_migration_trigger_'
    return [
      metricFamily(
        `${prefix}resources`,
        'gauge',
        'Resources that the trigger watches, by the source of their storage version.',
        sources.map((source) => [{ source }, all.filter((each) => each.source === source).length]),
      ),
      metricFamily(
        `${prefix}decision`,
        'gauge',
        'The last decision about a resource: 1 for that, 0 for the others.',
        all.flatMap(({ group, resource, decision }) =>
          words.map((word) => [{ group, resource, decision: word }, Number(word === decision)] as const),
        ),
      ),
      metricFamily(
        `${prefix}migrations_total`,
        'counter',
        'Migrations that were requested, and that were cancelled.',
        (['asked', 'cancelled'] as const).map((did) => [{ did }, this.#done[did]]),
      ),
      metricFamily(
        `${prefix}polls_total`,
        'counter',
        'Reads of discovery, if there is no better source.',
        (['complete', 'partial', 'failed'] as const).map((result) => [{ result }, this.#polls[result]]),
      ),
      metricFamily(`${prefix}errors_total`, 'counter', 'Failed reconciles; each is retried.', [
        [{}, this.#errors],
      ]),
    ].join('')
  }
}

/** The decision in one word. */
export function decisionWord({
  create,
  cancel,
  isClean,
}: {
  readonly create: boolean
  readonly cancel: number
  readonly isClean: boolean
}): DecisionWord {
  if (create) return 'asked'
  if (cancel > 0) return 'cancelled'
  return isClean ? 'clean' : 'waits'
}
