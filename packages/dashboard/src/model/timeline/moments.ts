import type { Observed } from '../../live/observed.ts'

/** Some hours of a fleet at work. The oldest are forgotten first. */
const mostMoments = 2_000
/** Leases are renewed all the time. When nothing else happens, a moment is kept this often. */
const everyMs = 5_000

/** What the page showed and when, so that a moment of the past can be shown again. Moments share what is the same in them. */
export class Moments {
  readonly #most: number
  readonly #kept: Observed[] = []

  constructor(most: number = mostMoments) {
    this.#most = most
  }

  get firstMs(): number | undefined {
    return this.#kept[0]?.atMs
  }

  remember(observed: Observed): void {
    const last = this.#kept.at(-1)
    if (last !== undefined && observed.atMs - last.atMs < everyMs && !isOther(last, observed)) return
    this.#kept.push(observed)
    // In one go: each removal at the front moves all others.
    if (this.#kept.length > this.#most) this.#kept.splice(0, Math.ceil(this.#most / 10))
  }

  /** What was shown then; undefined for a time before the page was opened, or that is forgotten. */
  at(atMs: number): Observed | undefined {
    let [low, high] = [0, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#kept[middle]?.atMs ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    return this.#kept[low - 1]
  }
}

/** Whether more has changed than the time at which Leases were renewed. */
function isOther(one: Observed, other: Observed): boolean {
  const { records, states, versioned, plain, leases } = one
  return (
    records !== other.records ||
    states !== other.states ||
    versioned !== other.versioned ||
    plain !== other.plain ||
    one.unseen?.because !== other.unseen?.because ||
    namesOf(leases) !== namesOf(other.leases)
  )
}

const namesOf = ({ objects }: Observed['leases']): string =>
  objects.map(({ metadata, spec }) => `${metadata.name} ${spec?.holderIdentity ?? ''}`).join()
