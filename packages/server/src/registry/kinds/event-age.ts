import type { Event } from '@strata/api'

/**
 * When an event was written last, as far as it tells: the newest of the times in it that are not in the future. A
 * client's clock may be wrong, so the server's own creationTimestamp is always among them.
 */
export function lastWriteMs(event: Event, nowMs: number): number {
  const { metadata, firstTimestamp, lastTimestamp, eventTime, series } = event
  const told = [
    metadata.creationTimestamp,
    firstTimestamp,
    lastTimestamp,
    eventTime,
    series?.lastObservedTime,
  ]
  const times = told.map((each) => Date.parse(each ?? '')).filter((each) => each <= nowMs)
  // An event that tells nothing is as new as can be: it must not go before its time.
  return times.length === 0 ? nowMs : Math.max(...times)
}
