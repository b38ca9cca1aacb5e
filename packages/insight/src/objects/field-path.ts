/** From the object down: names of fields, and positions in lists. */
export type FieldPath = readonly (string | number)[]

/** `spec.rules[0].matches["a.b"]`: a name that is no plain word stands in brackets. */
export function fieldPathText(path: FieldPath): string {
  return path.reduce<string>((text, part) => `${text}${partText(part, text === '')}`, '')
}

function partText(part: string | number, isFirst: boolean): string {
  if (typeof part === 'number') return `[${part}]`
  if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`
  return isFirst ? part : `.${part}`
}
