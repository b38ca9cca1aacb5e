/** Feature gates with their defaults. The names are upstream's where it has the feature. */
const knownGates = {
  /** The server has an identity Lease that shows others that it is live. */
  APIServerIdentity: true,
  /** Discovery and routes show only what every live server serves. */
  AgreedServing: false,
  /** Objects that cannot be decoded can be deleted, by a right of their own (KEP-3926). */
  AllowUnsafeMalformedObjectDeletion: false,
  /**
   * Servers compare their discovery documents and show whether they are equal (KEP "Coordinated Discovery Documents for HA
   * API Servers").
   */
  EnableCoordinatedDiscoveryDocument: false,
  /** The server records its storage versions before it writes, and its writes are fenced (KEP-2339). */
  StorageVersionAPI: true,
  /** Legacy discovery shows a hash of the version in which each resource is stored. */
  StorageVersionHash: true,
} as const

export type FeatureGate = keyof typeof knownGates
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>

export const defaultFeatureGates: FeatureGates = knownGates

/** The gates that a gate needs. Without identity Leases, no server knows which others are live. */
const needs: Readonly<Partial<Record<FeatureGate, readonly FeatureGate[]>>> = {
  AgreedServing: ['StorageVersionAPI'],
  EnableCoordinatedDiscoveryDocument: ['APIServerIdentity'],
  StorageVersionAPI: ['APIServerIdentity'],
}

/** The problem of a gate that is on while a gate that it needs is off: upstream's words, then what to do. */
export function findGateProblem(gates: FeatureGates): string | undefined {
  for (const gate of Object.keys(knownGates) as FeatureGate[]) {
    const missing = (needs[gate] ?? []).filter((each) => !gates[each])
    if (gates[gate] && missing.length > 0) {
      return `${gate} is enabled, but depends on features that are disabled: [${missing.join(' ')}]; say ${gate}=false too`
    }
  }
  return undefined
}

/** The values that Go accepts. */
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
