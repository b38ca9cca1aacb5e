import type { RehearsedKind, StoredObjects, StoredValue } from '@strata/rehearsal'
import { readValue } from '../stored/read-value.ts'

type Reason = StoredObjects['reasons'][number]

const root = '/registry/'
const crds = `${root}apiextensions.k8s.io/customresourcedefinitions/`

export interface Choice {
  /** How many objects of each kind. */
  readonly limit: number
  /** `snapshot backup.db` */
  readonly source: string
  /** The kinds are those of CRDs, which are taken over as well. */
  readonly isOfCrds: boolean
}

interface Counts {
  found: number
  taken: number
  unreadable: number
}

/** Of everything that a store holds, what a rehearsal takes over: objects of its kinds, and their CRDs. */
export class StoredChooser {
  readonly #choice: Choice
  readonly #entries: StoredValue[] = []
  readonly #counts: ReadonlyMap<RehearsedKind, Counts>
  readonly #crdsFound = new Set<string>()
  #seen = 0

  constructor(kinds: readonly RehearsedKind[], choice: Choice) {
    this.#choice = choice
    this.#counts = new Map(kinds.map((kind) => [kind, { found: 0, taken: 0, unreadable: 0 }]))
  }

  /** Keeps a copy of what it takes: a reader may use its buffer again. */
  see({ key, value }: StoredValue): void {
    if (!key.startsWith(root)) return
    this.#seen++
    const isJson = (): boolean => readValue(value).form === 'json'
    for (const [kind, counts] of this.#counts) {
      const isCrd = this.#choice.isOfCrds && key === `${crds}${kind.name}`
      if (isCrd && isJson()) {
        this.#crdsFound.add(kind.name)
        this.#entries.push({ key, value: new Uint8Array(value) })
      }
      if (!key.startsWith(kind.prefix)) continue
      counts.found++
      if (!isJson()) counts.unreadable++
      else if (counts.taken < this.#choice.limit) {
        counts.taken++
        this.#entries.push({ key, value: new Uint8Array(value) })
      }
    }
  }

  /** Undefined if the store has no keys as servers of Kubernetes write them. */
  get result(): StoredObjects | undefined {
    if (this.#seen === 0) return undefined
    const reasons = [...this.#counts].flatMap(([kind, counts]) => this.#reasonsOf(kind, counts))
    return { entries: this.#entries, reasons }
  }

  #reasonsOf({ name }: RehearsedKind, { found, taken, unreadable }: Counts): readonly Reason[] {
    const { source, isOfCrds } = this.#choice
    const unseen = (rule: string, message: string, fix?: string): Reason[] => [
      { level: 'could not see', rule, message, resource: name, fix },
    ]
    const readable = found - unreadable
    return [
      ...(isOfCrds && !this.#crdsFound.has(name)
        ? unseen('not-in-snapshot', `${source} has no CRD ${name} in JSON`)
        : []),
      ...(unreadable > 0
        ? unseen(
            'not-readable',
            `${unreadable} of ${found} objects of ${name} in ${source} are encrypted or damaged, and were left out`,
          )
        : []),
      ...(readable > taken
        ? unseen(
            'not-all-taken',
            `${taken} of ${found} objects of ${name} in ${source} were taken`,
            'raise "limit" beside "snapshot"',
          )
        : []),
    ]
  }
}
