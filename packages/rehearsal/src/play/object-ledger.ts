import { compareValues } from '@strata/insight'
import type { Json } from '../lab/lab.ts'
import type { RehearsedKind } from '../path/rehearsed-kind.ts'

/** The label that clients of the rehearsal change. */
export const touchedLabel = 'rehearsal.strata.dev/touched'

/** An object that was created, and what clients have seen of it since. */
export interface LedgerObject {
  readonly kind: RehearsedKind
  readonly namespace: string
  readonly name: string
  /** The step it was created in. */
  readonly bornIn: number
  /** Later releases write it again. The others stay as they were stored. */
  readonly isTouched: boolean
  /** By version, as last seen. */
  readonly seen: Map<string, Json>
  /** As last seen in the version in which servers store it: nothing is hidden there. */
  whole: Json
}

/** How a version of an object stands to the others. */
export interface View {
  readonly version: string
  readonly isStorage: boolean
  /** Between versions only the apiVersion changes: a field has the same name in each. */
  readonly isRenamedOnly: boolean
}

type Born = Omit<LedgerObject, 'seen' | 'whole'>

export interface FieldLoss {
  readonly path: string
  readonly what: 'lost' | 'changed'
  /** What is lost is false, zero or empty: many programs leave that out. */
  readonly isEmpty: boolean
}

export const objectText = ({ namespace, name, kind }: LedgerObject): string =>
  kind.namespaced ? `${namespace}/${name}` : name

/** Keeps what every object has to say in each version. */
export class ObjectLedger {
  readonly #objects = new Map<string, LedgerObject>()

  /** With the object as it was created, or as it is stored. */
  add(object: Born, version: string, created: Json): void {
    const whole = comparable(created)
    this.#objects.set(keyOf(object), { ...object, seen: new Map([[version, whole]]), whole })
  }

  of(kind: RehearsedKind): readonly LedgerObject[] {
    return [...this.#objects.values()].filter((each) => each.kind === kind)
  }

  get size(): number {
    return this.#objects.size
  }

  /** What an object has lost since it was last seen. Each loss is told once. */
  see(object: LedgerObject, { version, isStorage, isRenamedOnly }: View, found: Json): readonly FieldLoss[] {
    const now = comparable(found)
    const seen = object.seen.get(version)
    // A version that hid a field before it was stored hides it still, and a rewrite removes it then.
    const before = isRenamedOnly && (isStorage || seen === undefined) ? object.whole : seen
    object.seen.set(version, now)
    if (isStorage) object.whole = now
    if (before === undefined) return []
    const { lost, changed } = compareValues(before, now)
    return [
      ...lost.map((each) => ({ path: each.path, what: 'lost' as const, isEmpty: isEmpty(each.before) })),
      ...changed.map(({ path }) => ({ path, what: 'changed' as const, isEmpty: false })),
    ]
  }
}

const keyOf = ({ kind, namespace, name }: Born): string => `${kind.name} ${namespace}/${name}`

const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** Without what servers change on their own. */
function comparable({ apiVersion: _, kind: __, metadata, ...fields }: Json): Json {
  const { [touchedLabel]: ___, ...labels } = metadata.labels ?? {}
  return { ...fields, metadata: { labels, annotations: metadata.annotations ?? {} } }
}
