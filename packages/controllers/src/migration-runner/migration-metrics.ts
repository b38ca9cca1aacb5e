import { type GroupResource, groupResourceText } from '@strata/api'
import { metricFamily } from '../engine/metric-family.ts'
import type { Progress } from '../migrator/index.ts'

interface Series {
  /** As Go writes group, version and resource: upstream's label. */
  readonly gvr: string
  readonly group: string
  readonly resource: string
  migrated: number
  /** Objects migrated in the current run. */
  migratedInRun: number
  remaining: number
  rate: number
  quarantined: number
  isRunning: boolean
  readonly ended: { Succeeded: number; Failed: number }
}

/** Metrics of the migrations of all resources since the process began, for Prometheus. */
export class MigrationMetrics {
  readonly #series = new Map<string, Series>()

  begin(resource: GroupResource, gvr: string): void {
    const series = this.#of(resource, gvr)
    series.isRunning = true
    series.migratedInRun = 0
    series.quarantined = 0
  }

  /** Starts from the progress of a resumed run: the process that made that progress has counted it. */
  resume(resource: GroupResource, progress: Progress): void {
    const series = this.#series.get(groupResourceText(resource))
    if (series) series.migratedInRun = doneIn(progress)
  }

  progress(resource: GroupResource, progress: Progress): void {
    const series = this.#series.get(groupResourceText(resource))
    if (!series) return
    const { total, settled, ratePerSecond, quarantined } = progress
    const done = doneIn(progress)
    // A listing that starts again counts from 0, and a counter must not decrease.
    series.migrated += Math.max(0, done - series.migratedInRun)
    series.migratedInRun = done
    series.remaining = Math.max(0, (total ?? settled) - settled)
    series.rate = ratePerSecond
    series.quarantined = quarantined
  }

  /** The migration does not run now. `remaining` stays: those objects are still to be migrated. */
  pause(resource: GroupResource): void {
    const series = this.#series.get(groupResourceText(resource))
    if (!series) return
    series.isRunning = false
    series.rate = 0
  }

  /** Call it only after the end is stored (docs/reference/upstream-behaviour.md, X11). */
  end(resource: GroupResource, status: 'Succeeded' | 'Failed'): void {
    const series = this.#of(resource, groupResourceText(resource))
    series.ended[status]++
    series.isRunning = false
    series.rate = 0
    series.remaining = status === 'Succeeded' ? 0 : series.quarantined
  }

  text(): string {
    const all = [...this.#series.values()]
    const upstream = 'storage_migrator_core_migrator_'
    const byGvr = ({ gvr }: Series) => ({ resource: gvr })
    const ours = ({ group, resource }: Series) => ({ group, resource })
    return [
      metricFamily(
        `${upstream}migrated_objects`,
        'counter',
        'Objects that were rewritten in the current storage version, or found in it.',
        all.map((each) => [byGvr(each), each.migrated]),
      ),
      metricFamily(
        `${upstream}remaining_objects`,
        'gauge',
        'Objects that are not migrated yet, or could not be rewritten when the migration ended.',
        all.map((each) => [byGvr(each), each.remaining]),
      ),
      metricFamily(
        `${upstream}migrations`,
        'counter',
        'Migrations that have ended.',
        all.flatMap((each) =>
          (['Succeeded', 'Failed'] as const).map(
            (status) => [{ ...byGvr(each), status }, each.ended[status]] as const,
          ),
        ),
      ),
      metricFamily(
        'strata_migration_running',
        'gauge',
        'Whether a migration of the resource is running.',
        all.map((each) => [ours(each), Number(each.isRunning)]),
      ),
      metricFamily(
        'strata_migration_objects_per_second',
        'gauge',
        'Objects processed per second.',
        all.map((each) => [ours(each), each.rate]),
      ),
      metricFamily(
        'strata_migration_quarantined_objects',
        'gauge',
        'Objects that the last migration could not rewrite.',
        all.map((each) => [ours(each), each.quarantined]),
      ),
    ].join('')
  }

  #of({ group, resource }: GroupResource, gvr: string): Series {
    const key = groupResourceText({ group, resource })
    const there = this.#series.get(key)
    if (there) return there
    const series: Series = {
      ...{ gvr, group, resource, migrated: 0, migratedInRun: 0, remaining: 0, rate: 0, quarantined: 0 },
      isRunning: false,
      ended: { Succeeded: 0, Failed: 0 },
    }
    this.#series.set(key, series)
    return series
  }
}

function doneIn({ migrated, alreadyCurrent, overtaken }: Progress): number {
  return migrated + alreadyCurrent + overtaken
}
