import { isJsonObject } from '@strata/api'

/** Half of what a document may have. */
const mostUses = 1_000

/** A value in YAML's flow style, in which a text that has occurred before is an alias, as a key too. */
export function aliasedYaml(value: unknown): string {
  const anchors = new Map<string, string>()
  let uses = 0
  const text = (plain: string): string => {
    if (uses >= mostUses) return JSON.stringify(plain)
    uses++
    const known = anchors.get(plain)
    // With a space behind it: a colon or a comma would belong to the name.
    if (known !== undefined) return `*${known} `
    const name = `a${anchors.size}`
    anchors.set(plain, name)
    return `&${name} ${JSON.stringify(plain)}`
  }
  const written = (each: unknown): string => {
    if (typeof each === 'string') return text(each)
    if (Array.isArray(each)) return `[${each.map(written).join(', ')}]`
    if (!isJsonObject(each)) return JSON.stringify(each)
    return `{${Object.entries(each)
      .map(([key, inner]) => `${text(key)}: ${written(inner)}`)
      .join(', ')}}`
  }
  return written(value)
}
