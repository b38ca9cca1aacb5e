/** One clause of an Accept header, in the order in which the client prefers them. */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

/** Clients send a handful of different headers, over and over. */
const remembered = new Map<string, readonly AcceptClause[]>()
const rememberedLimit = 256
/** Longer ones are nobody's but an attacker's, and are not worth remembering. */
const rememberedLength = 1024

/** As upstream reads it: what is malformed is skipped, unknown parameters are kept and mean nothing. */
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

/** The more particular comes first. */
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
