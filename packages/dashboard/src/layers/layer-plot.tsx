import { decideBands, type LayerSample } from '../model/storage/layer-history.ts'
import { useApp } from '../shell/app-context.ts'

interface Props {
  readonly resource: string
  readonly samples: readonly LayerSample[]
  /** Versions that are written no more. */
  readonly old: readonly string[]
}

/** The same layers over time, since the page was opened: one sees the old one shrink. */
export const LayerPlot = ({ resource, samples, old }: Props) => {
  const { colours, nowMs } = useApp()
  if (samples.length < 2) return <div class="plot plot-empty" />
  const bands = decideBands(samples, nowMs.value)
  return (
    <svg
      class="plot"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Layers of ${resource} over time`}
    >
      {bands.map(({ version, key, points }) => (
        <path
          key={`${version} ${key}`}
          class={`band layer-${colours.of(resource, version)}${old.includes(version) ? ' band-old' : ''}`}
          d={areaOf(points)}
        />
      ))}
    </svg>
  )
}

type Points = readonly (readonly [x: number, top: number, bottom: number])[]

/** A count holds until the next one: steps, not slopes. */
function areaOf(points: Points): string {
  const forth = points.map(([x, high], index) =>
    index === 0 ? `M${at(x)} ${at(high)}` : `H${at(x)}V${at(high)}`,
  )
  const back = points.toReversed().map(([x, , low], index, all) => {
    const [from] = all[index - 1] ?? [x]
    return index === 0 ? `V${at(low)}` : `H${at(from)}V${at(low)}H${at(x)}`
  })
  return `${forth.join('')}${back.join('')}Z`
}

const at = (value: number): string => value.toFixed(2)
