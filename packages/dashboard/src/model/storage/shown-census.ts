import type { CensusSeen } from '../../live/census-taker.ts'

/** What is shown of the censuses of a resource at a moment of the past: objects were named and counted only later. */
export function decideShownCensus(seen: CensusSeen, momentMs: number | undefined): CensusSeen {
  if (momentMs === undefined) return seen
  return { samples: seen.samples.filter(({ atMs }) => atMs <= momentMs) }
}
