const shape = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const stages: readonly (string | undefined)[] = ['alpha', 'beta', undefined]

/**
 * Which of two versions of a group clients should rather use, to sort by: the stable ones, then betas, then alphas,
 * newer before older; names of another shape come last, by the alphabet.
 */
export function byVersionPriority(a: string, b: string): number {
  const [one, other] = [shape.exec(a), shape.exec(b)]
  if (!one || !other) return Number(!one) - Number(!other) || (a < b ? -1 : a > b ? 1 : 0)
  return (
    stages.indexOf(other[2]) - stages.indexOf(one[2]) ||
    Number(other[1]) - Number(one[1]) ||
    Number(other[3] ?? 0) - Number(one[3] ?? 0)
  )
}
