/** More names than this tell a reader nothing more, and a message is stored with every record. */
const mostNamed = 3

/** `a, b, c and 7 more`. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - mostNamed
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ')
}
