import type { Entry, Revision } from '@strata/server/store'
import { parseBytes } from './checkers/stored-json.ts'
import type { History } from './history.ts'
import { type CustomPlural, customPluralOf, definedPluralOf, isClientKey } from './keys.ts'
import { statusTokenOf, tokenOf } from './tokens.ts'

/** What one change left at one key of the clients' objects. */
export interface Stored {
  readonly revision: Revision
  readonly atMs: number
  readonly writer: string
  readonly repeated: boolean
  /** Its definition was being deleted at that moment, and takes its instances with it. */
  readonly isCleared: boolean
  /** Undefined after a delete. */
  readonly object: StoredObject | undefined
}

export interface StoredObject {
  readonly apiVersion: string
  readonly uid: string
  readonly token: string
  /** The token in its status; empty without one. */
  readonly statusToken: string
  /** The key that its bytes were under. */
  readonly under: string
}

/** The history of every object that clients write, oldest first. */
export class StoreLog {
  readonly keys: ReadonlyMap<string, readonly Stored[]>

  constructor({ commits }: History) {
    const keys = new Map<string, Stored[]>()
    const going = new Set<CustomPlural>()
    for (const { atMs, writer, repeated, changes } of commits) {
      for (const change of changes) {
        const defined = definedPluralOf(change.key)
        if (defined && change.kind === 'put' && isTerminating(change.value)) going.add(defined)
        else if (defined) going.delete(defined)
        if (!isClientKey(change.key)) continue
        const object = change.kind === 'put' ? parse(change) : undefined
        const versions = keys.get(change.key) ?? []
        const plural = customPluralOf(change.key)
        const isCleared = plural !== undefined && going.has(plural)
        versions.push({ revision: change.revision, atMs, writer, repeated, isCleared, object })
        keys.set(change.key, versions)
      }
    }
    this.keys = keys
  }

  of(key: string): readonly Stored[] {
    return this.keys.get(key) ?? []
  }

  /** What stood there after the revision; undefined if the key was never written before. */
  at(key: string, revision: Revision): Stored | undefined {
    return this.of(key).findLast((version) => version.revision <= revision)
  }

  /** Everything that stood there at some revision from `from` to `to`; `undefined` stands for absence. */
  *between(key: string, from: Revision, to: Revision): Iterable<Stored | undefined> {
    const first = this.at(key, from)
    yield first?.object ? first : undefined
    for (const version of this.of(key)) {
      if (version.revision > from && version.revision <= to) yield version.object ? version : undefined
    }
  }
}

function isTerminating(value: Uint8Array): boolean {
  return Buffer.from(value).includes('"deletionTimestamp"')
}

function parse({ value, under = 'identity' }: Pick<Entry, 'value' | 'under'>): StoredObject {
  const object = parseBytes(value)
  const { apiVersion, metadata } = object
  return { apiVersion, uid: metadata.uid, token: tokenOf(object), statusToken: statusTokenOf(object), under }
}
