import type { MigrationProgress } from '@strata/api'
import { formatSeconds } from '../text/age.ts'

/** How far a migration is, whether it runs here or elsewhere. */
export interface ShownProgress {
  readonly percent?: number
  readonly settled: number
  readonly total?: number
  readonly ratePerSecond: number
  readonly etaSeconds?: number
  readonly quarantined: number
  /** Where nothing is fenced there are several. */
  readonly pass?: number
}

/** Progress from the status of a migration object. */
export function shownStatus(status: MigrationProgress): ShownProgress {
  const { migrated = 0, alreadyCurrent = 0, quarantined = 0, ratePerSecond = 0 } = status
  const { percent, total, etaSeconds } = status
  return {
    settled: Math.min(migrated + alreadyCurrent + quarantined, total ?? Number.POSITIVE_INFINITY),
    ...{ ratePerSecond, quarantined },
    ...(percent === undefined ? {} : { percent }),
    ...(total === undefined ? {} : { total }),
    ...(etaSeconds === undefined ? {} : { etaSeconds }),
  }
}

/** `2,000`. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `57 %, 1,140 of 2,000, 310/s, 3s left, 1 set aside`. */
export function progressText({ pass = 1, ...shown }: ShownProgress): string {
  const { percent, settled, total, ratePerSecond, etaSeconds, quarantined } = shown
  const isOver = total !== undefined && settled >= total
  return [
    ...(pass > 1 ? [`pass ${pass}`] : []),
    ...(percent === undefined ? [] : [`${percent} %`]),
    total === undefined ? formatCount(settled) : `${formatCount(settled)} of ${formatCount(total)}`,
    ...(ratePerSecond > 0 ? [`${formatCount(Math.round(ratePerSecond))}/s`] : []),
    ...(etaSeconds === undefined || isOver ? [] : [`${formatSeconds(etaSeconds)} left`]),
    ...(quarantined === 0 ? [] : [`${formatCount(quarantined)} set aside`]),
  ].join(', ')
}

/** `[#####.....]`; empty if the percentage is unknown. */
export function progressBar(percent: number | undefined, width: number): string {
  if (percent === undefined || width < 1) return ''
  const done = Math.floor((Math.min(100, percent) * width) / 100)
  return `[${'#'.repeat(done)}${'.'.repeat(width - done)}]`
}
