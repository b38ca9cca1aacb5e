/** One clause of an Accept header. Clauses are in the order of the client's preference. */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

/** Clients send a few different headers, over and over. */
const remembered = new Map<string, readonly AcceptClause[]>()
const rememberedLimit = 256
/** Longer headers come only from attackers, and are not cached. */
const rememberedLength = 1024

/** As upstream: malformed clauses are skipped, unknown parameters are kept and ignored. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const known = remembered.get(header)
  if (known) return known
  const clauses = header.split(',').flatMap(parseClause)
  clauses.sort(
    (a, b) => b.quality - a.quality || stars(a.type) - stars(b.type) || stars(a.subtype) - stars(b.subtype),
  )
  if (header.length <= rememberedLength) {
    if (remembered.size >= rememberedLimit) remembered.clear()
    remembered.set(header, clauses)
  }
  return clauses
}

/** The more specific clause comes first. */
const stars = (part: string): number => (part === '*' ? 1 : 0)

function parseClause(text: string): AcceptClause[] {
  const [media = '', ...rest] = text.split(';')
  const [type = '', subtype, ...more] = media.split('/').map((part) => part.trim())
  if (more.length > 0 || (subtype === undefined && type !== '*')) return []
  const parameters = new Map<string, string>()
  let quality = 1
  for (const parameter of rest) {
    const [name = '', value, ...others] = parameter.split('=')
    if (value === undefined || others.length > 0) continue
    if (name.trim() === 'q') quality = Number(value) || 0
    else parameters.set(name.trim(), value.trim())
  }
  return [{ type, subtype: subtype ?? '*', quality, parameters }]
}
