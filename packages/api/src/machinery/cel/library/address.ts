/** An address, as a number with a size. */
export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

export type ParsedAddress = Address | { readonly problem: string }

/** Parses addresses like Go's netip, with its error messages. */
export function parseAddress(text: string): ParsedAddress {
  const separator = /[.:%]/.exec(text)?.[0]
  const problem = (message: string): ParsedAddress => ({
    problem: `ParseAddr(${JSON.stringify(text)}): ${message}`,
  })
  if (separator === undefined) return problem('unable to parse IP')
  if (separator === '%') return problem('missing IPv6 address')
  if (separator === '.') {
    const found = parseFour(text)
    return typeof found === 'string' ? problem(found) : { bits: 32, value: found }
  }
  const found = parseGroups(text)
  return typeof found === 'string' ? problem(found) : { bits: 128, value: found }
}

function parseFour(text: string): bigint | string {
  const wrong = /[^\d.]/.exec(text)
  if (wrong) return `unexpected character (at ${JSON.stringify(text.slice(wrong.index))})`
  const parts = text.split('.')
  let value = 0n
  for (const part of parts) {
    if (part === '') return `IPv4 field must have at least one digit (at ${JSON.stringify(text)})`
    if (part.length > 1 && part.startsWith('0')) return 'IPv4 field has octet with leading zero'
    if (part.length > 3 || Number(part) > 255) return 'IPv4 field has value >255'
    value = (value << 8n) | BigInt(part)
  }
  if (parts.length < 4) return 'IPv4 address too short'
  return parts.length > 4 ? 'IPv4 address too long' : value
}

function parseGroups(text: string): bigint | string {
  if (text.includes('%')) return 'zone'
  const halves = text.split('::')
  if (halves.length > 2) return 'multiple :: in address'
  const groups: string[][] = []
  for (const half of halves) {
    const found = half === '' ? [] : half.split(':')
    const last = found.at(-1)
    if (last?.includes('.')) {
      const four = parseFour(last)
      if (typeof four === 'string') return four
      found.splice(-1, 1, (four >> 16n).toString(16), (four & 0xffffn).toString(16))
    }
    if (found.some((each) => each === '')) return 'each colon-separated field must have at least one digit'
    if (found.some((each) => !/^[0-9a-fA-F]+$/.test(each))) return 'unexpected character'
    if (found.some((each) => each.length > 4)) return 'each group must have 4 or less digits'
    groups.push(found)
  }
  const [first = [], second] = groups
  const count = first.length + (second?.length ?? 0)
  if (second === undefined && count !== 8)
    return count < 8 ? 'address string too short' : 'trailing garbage after address'
  if (second !== undefined && count > 7) return 'the :: must expand to at least one field of zeros'
  const all = [...first, ...Array.from({ length: 8 - count }, () => '0'), ...(second ?? [])]
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

export const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn

/** The canonical form. */
export function addressText({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  )
  // The first of the longest runs of zeros is left out, if it is longer than one.
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (groups[start + length] === '0') length++
    if (length > best.length) best = { start, length }
  }
  if (best.start < 0) return groups.join(':')
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`
}

/** Whether the first `length` bits of both are the same. */
export function sharesPrefix(a: Address, b: Address, length: number): boolean {
  const rest = BigInt(a.bits - length)
  return a.bits === b.bits && a.value >> rest === b.value >> rest
}
