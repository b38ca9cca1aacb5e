/** What can be switched on or off, by upstream's names where it has them, and which it is unless somebody says so. */
const knownGates = {
  /** The server has an identity Lease, by which others see that it is there. */
  APIServerIdentity: true,
  /** Discovery and routes have only what every live server serves. */
  AgreedServing: false,
  /** Servers compare their discovery documents, and say whether they are the same (seed 004). */
  EnableCoordinatedDiscoveryDocument: false,
  /** The server records what it writes before it writes it, and its writes are fenced by that (seed 003). */
  StorageVersionAPI: true,
  /** Legacy discovery says in which version each resource is stored. */
  StorageVersionHash: true,
} as const

export type FeatureGate = keyof typeof knownGates
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>

export const defaultFeatureGates: FeatureGates = knownGates

/** Nothing is recorded of a server that nobody can see, and nothing is compared with it. */
const needs: Readonly<Partial<Record<FeatureGate, readonly FeatureGate[]>>> = {
  AgreedServing: ['StorageVersionAPI'],
  EnableCoordinatedDiscoveryDocument: ['APIServerIdentity'],
  StorageVersionAPI: ['APIServerIdentity'],
}

/** What is on and needs something that is off; upstream's words, and what to do about it. */
export function findGateProblem(gates: FeatureGates): string | undefined {
  for (const gate of Object.keys(knownGates) as FeatureGate[]) {
    const missing = (needs[gate] ?? []).filter((each) => !gates[each])
    if (gates[gate] && missing.length > 0) {
      return `${gate} is enabled, but depends on features that are disabled: [${missing.join(' ')}]; say ${gate}=false too`
    }
  }
  return undefined
}

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
  const problem = findGateProblem(gates as FeatureGates)
  return problem === undefined ? (gates as FeatureGates) : { problem }
}
