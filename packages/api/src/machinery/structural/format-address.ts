/** An IPv4 address with a dot in it, which one inside an IPv6 address has too. Leading zeros are let through. */
export const isIPv4 = (text: string): boolean => text.includes('.') && isAddress(text, true)

/** Without a zone; an IPv4 address may be its end. */
export const isIPv6 = (text: string): boolean => text.includes(':') && isAddress(text, false)

/** Whichever separator comes first decides what it is. */
function isAddress(text: string, sloppy: boolean): boolean {
  const separator = /[.:]/.exec(text)?.[0]
  if (separator === undefined) return false
  return separator === '.' ? isFourParts(text, sloppy) : isColonHex(text, sloppy)
}

function isFourParts(text: string, sloppy: boolean): boolean {
  const parts = text.split('.')
  return (
    parts.length === 4 &&
    parts.every(
      (part) => /^\d+$/.test(part) && Number(part) <= 255 && (sloppy || String(Number(part)) === part),
    )
  )
}

function isColonHex(text: string, sloppy: boolean): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const isShort = halves.length === 2
  let count = 0
  for (const [place, half] of halves.entries()) {
    if (half === '') {
      if (!isShort) return false
      continue
    }
    const isLast = place === halves.length - 1
    for (const [index, group, groups] of half
      .split(':')
      .map((group, index, all) => [index, group, all] as const)) {
      if (isLast && index === groups.length - 1 && group.includes('.')) {
        if (!isFourParts(group, sloppy)) return false
        count += 2
      } else if (/^[0-9a-f]{1,4}$/i.test(group)) count++
      else return false
    }
  }
  return isShort ? count <= 7 : count === 8
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return false
  const address = text.slice(0, slash)
  const size = text.slice(slash + 1)
  if (!/^\d{1,7}$/.test(size) || !isAddress(address, true)) return false
  return Number(size) <= (isFourParts(address, true) ? 32 : 128)
}

const macBytes = new Set([6, 8, 20])

export function isMac(text: string): boolean {
  if (/^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text)) return macBytes.has(((text.length + 1) / 5) * 2)
  return /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})+$/i.test(text) && macBytes.has((text.length + 1) / 3)
}
