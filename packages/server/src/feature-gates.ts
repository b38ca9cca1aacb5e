/** What can be switched off, by upstream's names, and whether it is on unless somebody says so. */
const knownGates = {
  /** Legacy discovery says in which version each resource is stored. */
  StorageVersionHash: true,
} as const

export type FeatureGates = Readonly<Record<keyof typeof knownGates, boolean>>

export const defaultFeatureGates: FeatureGates = knownGates

/** As Go reads them. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
])

/** `Name=true,Other=false`. */
export function parseFeatureGates(text: string): FeatureGates | { readonly problem: string } {
  const gates: Record<string, boolean> = { ...knownGates }
  for (const each of text.split(',')) {
    if (each === '') continue
    const [name = '', ...values] = each.split('=')
    const gate = name.trim()
    if (values.length === 0)
      return { problem: `missing bool value for ${gate}: say ${gate}=true or ${gate}=false` }
    const value = values.join('=').trim()
    const isOn = flags.get(value)
    if (isOn === undefined) {
      return { problem: `invalid value of ${gate}=${value}: say true or false` }
    }
    if (!Object.hasOwn(knownGates, gate)) {
      return {
        problem: `unrecognized feature gate: ${gate}; there are: ${Object.keys(knownGates).join(', ')}`,
      }
    }
    gates[gate] = isOn
  }
  return gates as FeatureGates
}
