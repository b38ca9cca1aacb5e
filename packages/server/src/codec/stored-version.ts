/** The beginning of every object that our servers encode; the first two fields may be swapped. */
const head = /^\{(?:"kind":"[^"\\]*",)?"apiVersion":"([^"\\]*)"/
/** The names of group and kind together are shorter than this. */
const headBytes = 600

/** The apiVersion in stored bytes, usually from their beginning alone. Undefined if they name none. */
export function storedVersionIn(value: Uint8Array): string | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const [, found] = head.exec(bytes.toString('utf8', 0, headBytes)) ?? []
  if (found !== undefined) return found
  try {
    const parsed: unknown = JSON.parse(bytes.toString())
    const apiVersion = (parsed as { readonly apiVersion?: unknown } | null)?.apiVersion
    return typeof apiVersion === 'string' ? apiVersion : undefined
  } catch {
    return undefined
  }
}
