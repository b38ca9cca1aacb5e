const shape = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const stages: readonly (string | undefined)[] = ['alpha', 'beta', undefined]

/** Sorts versions by preference: stable, beta, alpha, newer before older; other names come last, alphabetically. */
export function byVersionPriority(a: string, b: string): number {
  const [one, other] = [shape.exec(a), shape.exec(b)]
  if (!one || !other) return Number(!one) - Number(!other) || (a < b ? -1 : a > b ? 1 : 0)
  return (
    stages.indexOf(other[2]) - stages.indexOf(one[2]) ||
    Number(other[1]) - Number(one[1]) ||
    Number(other[3] ?? 0) - Number(one[3] ?? 0)
  )
}
