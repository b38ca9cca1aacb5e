import type { Layer } from './storage-rows.ts'

/** How many objects were in each version at one time. */
export interface LayerSample {
  readonly atMs: number
  readonly layers: readonly Pick<Layer, 'version' | 'key' | 'count'>[]
}

const mostSamples = 240

/** Adds a sample. Those that say the same as both neighbours are left out, so that a quiet hour costs nothing. */
export function addSample(samples: readonly LayerSample[], sample: LayerSample): readonly LayerSample[] {
  const [before, last] = samples.slice(-2)
  const isQuiet = before && last && isSame(before, last) && isSame(last, sample)
  return [...(isQuiet ? samples.slice(0, -1) : samples), sample].slice(-mostSamples)
}

const isSame = (a: LayerSample, b: LayerSample): boolean =>
  JSON.stringify(a.layers) === JSON.stringify(b.layers)

/** One area of the drawing: from the left edge to the right, between two heights, in percent of the whole. */
export interface LayerBand {
  readonly version: string
  readonly key: string | undefined
  readonly points: readonly (readonly [x: number, top: number, bottom: number])[]
}

/** Bands that are stacked, each as wide as the time, so that an old layer is seen to shrink. */
export function decideBands(samples: readonly LayerSample[], nowMs: number): readonly LayerBand[] {
  const [first] = samples
  if (first === undefined) return []
  const span = Math.max(1, nowMs - first.atMs)
  const keyOf = ({ version, key = '' }: { version: string; key?: string | undefined }): string =>
    `${version} ${key}`
  const kinds = new Map(samples.flatMap(({ layers }) => layers.map((each) => [keyOf(each), each] as const)))
  const most = Math.max(
    1,
    ...samples.map(({ layers }) => layers.reduce((sum, { count = 0 }) => sum + count, 0)),
  )
  const names = [...kinds.keys()]
  const heights = samples.map(({ atMs, layers }) => {
    const counts = new Map(layers.map((each) => [keyOf(each), each.count ?? 0]))
    let below = 0
    return names.map((name) => {
      const from = below
      below += (100 * (counts.get(name) ?? 0)) / most
      return [(100 * (atMs - first.atMs)) / span, 100 - below, 100 - from] as const
    })
  })
  const last = heights.at(-1)
  return names.map((name, index) => {
    const points = heights.flatMap((each) => {
      const point = each[index]
      return point ? [point] : []
    })
    const end = last?.[index]
    const { version = '', key } = kinds.get(name) ?? {}
    return { version, key, points: end ? [...points, [100, end[1], end[2]] as const] : points }
  })
}
