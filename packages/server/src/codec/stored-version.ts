/** How every object begins that a server of ours has encoded; the first two fields may be the other way round. */
const head = /^\{(?:"kind":"[^"\\]*",)?"apiVersion":"([^"\\]*)"/
/** Names of groups and kinds are shorter than this together. */
const headBytes = 600

/** The apiVersion in stored bytes, of which mostly only the beginning is looked at. Undefined if they name none. */
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
