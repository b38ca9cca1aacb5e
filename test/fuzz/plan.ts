import type { Chunk } from './run-chunk.ts'
import type { FuzzTarget } from './target.ts'

const chunkInputs = 1_000

/** The inputs dealt to the targets by their shares, in chunks that take turns: an early end has tried a bit of each. */
export function planChunks(targets: readonly FuzzTarget[], seed: string, inputs: number, from = 0): Chunk[] {
  const total = targets.reduce((sum, { share }) => sum + share, 0)
  const rows = targets.map(({ name, share, sequence }) => {
    const size = sequence * Math.max(1, Math.floor(chunkInputs / sequence))
    const to = from + Math.max(1, Math.round((inputs * share) / total))
    const row: Chunk[] = []
    for (let at = from; at < to; at += size)
      row.push({ target: name, seed, from: at, to: Math.min(to, at + size) })
    return row
  })
  return rows
    .flatMap((row) => row.map((chunk, index) => ({ chunk, turn: index / row.length })))
    .sort((a, b) => a.turn - b.turn)
    .map(({ chunk }) => chunk)
}
