import { useApp } from '../shell/app-context.ts'

interface Props {
  readonly resource: string
  readonly version: string
  /** A newer version is written: the layer is hatched, so that its colour is not the only sign. */
  readonly isOld?: boolean
}

/** A version, with its colour and its name. */
export const LayerMark = ({ resource, version, isOld = false }: Props) => {
  const { colours } = useApp()
  const colour = colours.of(resource, version)
  return (
    <span class="layer-mark">
      <span class={`swatch layer-${colour}${isOld ? ' old' : ''}`} aria-hidden="true" />
      <span class="layer-name">{version}</span>
    </span>
  )
}
