import { unknownVersion, versionNameOf } from '@strata/api'

/** Names of colours in `theme/palette.css`. The first ones are cool, for new layers; the others warm, for old ones. */
const cool = ['blue', 'green', 'sky'] as const
const warm = ['orange', 'vermilion', 'purple', 'yellow'] as const
export type LayerColour = (typeof cool)[number] | (typeof warm)[number] | 'unknown'

/**
 * One colour for each version of a resource, for as long as the page is open: the same in every view. When a resource is first
 * seen, its newest version gets a cool colour and the older ones warm ones. A version that appears later takes the next colour of
 * its kind that is free, and no colour ever changes.
 */
export class VersionColours {
  readonly #known = new Map<string, Map<string, LayerColour>>()

  /** Names versions of a resource that were seen, in any order. */
  learn(resource: string, versions: Iterable<string>): void {
    const known = this.#known.get(resource) ?? new Map<string, LayerColour>()
    const fresh = [...new Set([...versions].map(versionNameOf))]
      .filter((each) => each !== unknownVersion && !known.has(each))
      .sort(newestFirst)
    for (const version of fresh) {
      const isNewest = [...known.keys()].every((each) => newestFirst(version, each) < 0)
      const preferred: readonly LayerColour[] = isNewest ? [...cool, ...warm] : [...warm, ...cool]
      const taken = new Set(known.values())
      known.set(version, preferred.find((each) => !taken.has(each)) ?? 'yellow')
    }
    this.#known.set(resource, known)
  }

  of(resource: string, version: string): LayerColour {
    if (version === unknownVersion) return 'unknown'
    const name = versionNameOf(version)
    if (!this.#known.get(resource)?.has(name)) this.learn(resource, [name])
    return this.#known.get(resource)?.get(name) ?? 'unknown'
  }
}

const form = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const maturities = [undefined, 'beta', 'alpha']

/** As Kubernetes orders versions: v2, v1, v1beta2, v1alpha1; then other names. */
export function newestFirst(a: string, b: string): number {
  const [one, two] = [form.exec(a), form.exec(b)]
  if (!one || !two) return Number(!one) - Number(!two) || (a < b ? -1 : a > b ? 1 : 0)
  return (
    maturities.indexOf(one[2]) - maturities.indexOf(two[2]) ||
    Number(two[1]) - Number(one[1]) ||
    Number(two[3] ?? 0) - Number(one[3] ?? 0)
  )
}
