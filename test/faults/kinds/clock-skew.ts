import { writeFile } from 'node:fs/promises'
import { bothStores, type FaultKind } from '../fault-kind.ts'

const dayMs = 86_400_000

/** From a second to two days, to either side, evenly on a logarithmic scale. */
const offsetOf = (magnitude: number): number => {
  const sign = magnitude < 0.5 ? -1 : 1
  const fraction = (magnitude * 2) % 1
  return sign * Math.round(1_000 * ((2 * dayMs) / 1_000) ** fraction)
}

export const clockSkew: FaultKind = {
  name: 'clock-skew',
  summary: 'the wall clock of a running server jumps, by a second to two days, and later back',
  stores: bothStores,
  targets: ({ server }) => [server],
  async begin({ stage, note }, { server, magnitude }) {
    const offsetMs = offsetOf(magnitude)
    note(`by ${offsetMs} ms`)
    await writeFile(stage.clockFile(server), String(offsetMs))
    return () => writeFile(stage.clockFile(server), '0')
  },
}
