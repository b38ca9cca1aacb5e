import { fieldOf, isJsonObject, type JsonObject, setField } from './json-value.ts'
import { PatchError } from './patch-error.ts'

/** RFC 6901. `~01` is `~1`, not `/`: each sequence is read once. */
export function parseJsonPointer(pointer: string): string[] {
  if (pointer === '') return []
  // Upstream drops the text before the first slash, and so patches a field that the client did not name.
  if (!pointer.startsWith('/')) throw notApplicable(`path does not begin with a slash: "${pointer}"`)
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')))
}

export const notApplicable = (message: string): PatchError => new PatchError('not-applicable', message)

export type Container = JsonObject | unknown[]

export const isContainer = (value: unknown): value is Container => Array.isArray(value) || isJsonObject(value)

/** The place of an element. As upstream and unlike the RFC, negative numbers count from the end. */
function indexIn(length: number, key: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN
  const place = index < 0 ? index + length : index
  if (!(place >= 0 && place < length)) throw notApplicable(`Unable to access invalid index: ${key}`)
  return place
}

/** `undefined` where an object has no such field; an element that does not exist is an error. */
export function childOf(container: Container, key: string): unknown {
  return Array.isArray(container) ? container[indexIn(container.length, key)] : fieldOf(container, key)
}

export function addChild(container: Container, key: string, value: unknown): void {
  if (!Array.isArray(container)) setField(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(indexIn(container.length + 1, key), 0, value)
}

export function replaceChild(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container)) container[indexIn(container.length, key)] = value
  else setField(container, key, value)
}

export function removeChild(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(indexIn(container.length, key), 1)
  else if (Object.hasOwn(container, key)) delete container[key]
  else throw notApplicable(`Unable to remove nonexistent key: ${key}`)
}
