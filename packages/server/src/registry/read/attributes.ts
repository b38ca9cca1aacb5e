import { type ApiObject, parseLossless } from '@strata/api'
import { textOf } from '../../codec/index.ts'
import type { ServedResource } from '../served/served-api.ts'

/** The input of selectors: all labels, and the selectable fields of the kind. */
export interface Attributes {
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly fields: ReadonlyMap<string, string>
}

/** Stored bytes are immutable, so their attributes are computed once for all lists and watches. */
const known = new WeakMap<ServedResource, WeakMap<Uint8Array, Attributes>>()

/** Fields are read in the served version: the client wrote its selector for that one. */
export function attributesOf(resource: ServedResource, value: Uint8Array): Attributes {
  let ofResource = known.get(resource)
  if (!ofResource) {
    ofResource = new WeakMap()
    known.set(resource, ofResource)
  }
  let attributes = ofResource.get(value)
  if (!attributes) {
    attributes = readAttributes(resource, value)
    ofResource.set(value, attributes)
  }
  return attributes
}

/** Reads all bytes as if they were of the newest revision: selectors do not care who encoded them. */
const newest = Number.MAX_SAFE_INTEGER

function readAttributes({ definition, codec, apiVersion }: ServedResource, value: Uint8Array): Attributes {
  const object = parseLossless(`{"metadata":{${textOf(codec.tail(value, newest, apiVersion))}`)
  const fields = new Map<string, string>()
  for (const path of definition.selectableFields ?? []) {
    const found =
      definition.selectableValues?.[path]?.(object as ApiObject) ?? valueAt(object, path.split('.'))
    fields.set(path, found === undefined || found === null ? '' : String(found))
  }
  const labels = valueAt(object, ['metadata', 'labels']) as Attributes['labels']
  return { labels: labels ?? undefined, fields }
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object
  for (const field of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined
    value = (value as Record<string, unknown>)[field]
  }
  return value
}
