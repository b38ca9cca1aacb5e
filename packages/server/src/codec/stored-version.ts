/** A kind and its version, as stored bytes name them. */
export interface StoredType {
  readonly apiVersion: string
  /** Missing where the beginning of the bytes did not show it. */
  readonly kind?: string
}

/** The beginning of every object that our servers and kube-apiserver encode; the first two fields may be swapped. */
const head = /^\{(?:"kind":"([^"\\]*)",)?"apiVersion":"([^"\\]*)"(?:,"kind":"([^"\\]*)")?/
/** The names of group and kind together are shorter than this. */
const headBytes = 600

/** The apiVersion in stored bytes, usually from their beginning alone. Undefined if they name none. */
export const storedVersionIn = (value: Uint8Array): string | undefined => storedTypeIn(value)?.apiVersion

/** The same with the kind. */
export function storedTypeIn(value: Uint8Array): StoredType | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const [, before, found, after] = head.exec(bytes.toString('utf8', 0, headBytes)) ?? []
  if (found !== undefined) return typeOf(found, before ?? after)
  try {
    const parsed: unknown = JSON.parse(bytes.toString())
    const { apiVersion, kind } = (parsed ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown }
    return typeof apiVersion === 'string'
      ? typeOf(apiVersion, typeof kind === 'string' ? kind : undefined)
      : undefined
  } catch {
    return undefined
  }
}

function typeOf(apiVersion: string, kind: string | undefined): StoredType {
  return kind === undefined ? { apiVersion } : { apiVersion, kind }
}
