import type { NamedObject, StoredEncoding } from '@strata/api'
import { storedVersionIn } from '../codec/index.ts'
import type { Entry } from '../store/index.ts'
import type { AgreedEncoding } from './agreed-encoding.ts'
import { placeOf, type StoredResource } from './find-stored.ts'
import { storedForm } from './stored-form.ts'

/** Counts how the objects of one resource are stored, one by one, and keeps none of them. */
export class CensusTally {
  readonly #options: {
    readonly resource: Pick<StoredResource, 'prefix' | 'scope'>
    readonly agreed: AgreedEncoding | undefined
    readonly maxObjects: number
  }
  readonly #counts = new Map<string, { encoding: Omit<StoredEncoding, 'count'>; count: number }>()
  readonly #objects: NamedObject[] = []
  #total = 0
  #unreadable = 0
  #stale = 0

  constructor(options: {
    readonly resource: Pick<StoredResource, 'prefix' | 'scope'>
    readonly agreed: AgreedEncoding | undefined
    readonly maxObjects: number
  }) {
    this.#options = options
  }

  add(entry: Entry): void {
    this.#total++
    const { agreed } = this.#options
    const form = storedForm(entry)
    const key = form.keyName === undefined ? {} : { key: form.keyName }
    const encodingVersion = 'plain' in form && isWhole(form.plain) ? storedVersionIn(form.plain) : undefined
    if (encodingVersion === undefined) {
      this.#unreadable++
      const message =
        'unreadable' in form ? form.unreadable : 'the bytes are not an object that names a version'
      this.#name(entry, { ...key, reason: 'Unreadable', message })
      return
    }
    const id = `${encodingVersion} ${form.keyName ?? ''}`
    const counted = this.#counts.get(id)
    if (counted) counted.count++
    else this.#counts.set(id, { encoding: { encodingVersion, ...key }, count: 1 })
    if (!agreed || (encodingVersion === agreed.encodingVersion && form.keyName === agreed.writeKey)) return
    this.#stale++
    this.#name(entry, { encodingVersion, ...key, reason: 'Stale' })
  }

  get total(): number {
    return this.#total
  }

  get unreadable(): number {
    return this.#unreadable
  }

  get stale(): number {
    return this.#stale
  }

  get objects(): readonly NamedObject[] {
    return this.#objects
  }

  /** Sorted by version, then by key. */
  get encodings(): readonly StoredEncoding[] {
    return [...this.#counts.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { encoding, count }]) => ({ ...encoding, count }))
  }

  #name({ key }: Entry, what: Omit<NamedObject, 'name' | 'namespace'>): void {
    const { resource, maxObjects } = this.#options
    if (this.#objects.length < maxObjects) this.#objects.push({ ...placeOf(resource, key), ...what })
  }
}

/** Ends like an object: truncated bytes are not counted by their beginning. */
function isWhole(bytes: Uint8Array): boolean {
  let end = bytes.length - 1
  while (end > 0 && isSpace(bytes[end])) end--
  return bytes[end] === closingBrace
}

const closingBrace = 0x7d
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
