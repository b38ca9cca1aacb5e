export interface SimpleUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
}

/** A second reader of token files, character by character. Undefined if a line is not well formed. */
export function simpleTokenFile(text: string): ReadonlyMap<string, SimpleUser> | undefined {
  const users = new Map<string, SimpleUser>()
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const fields = fieldsIn(line)
    if (!fields || fields.length < 3) return undefined
    const [token = '', name = '', uid = '', groups = ''] = fields
    if (token === '' || name === '') return undefined
    users.set(token, { name, uid, groups: groupsIn(groups) })
  }
  return users
}

const groupsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

function fieldsIn(line: string): readonly string[] | undefined {
  const fields: string[] = []
  for (let at = 0; at <= line.length; ) {
    const isQuoted = line[at] === '"'
    const end = isQuoted ? closingQuote(line, at) + 1 : nextComma(line, at)
    if (isQuoted && (end === 0 || (end < line.length && line[end] !== ','))) return undefined
    const piece = line.slice(at, end)
    if (!isQuoted && piece.includes('"')) return undefined
    fields.push(isQuoted ? piece.slice(1, -1).replaceAll('""', '"') : piece.trim())
    at = end + 1
  }
  return fields
}

const nextComma = (line: string, from: number): number => {
  const found = line.indexOf(',', from)
  return found === -1 ? line.length : found
}

/** -1 if there is none. Two quotes are one that is meant. */
function closingQuote(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] !== '"') continue
    if (line[at + 1] !== '"') return at
    at++
  }
  return -1
}
