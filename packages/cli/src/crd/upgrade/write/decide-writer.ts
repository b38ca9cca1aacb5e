import {
  type CustomResourceDefinition,
  fieldElement,
  type Managed,
  type ManagedOperation,
  readManagedFields,
} from '@strata/api'

/** In whose name a CRD is written, and how: as the tool does that installed it. */
export interface CrdWriter {
  readonly manager: string
  readonly operation: ManagedOperation
}

/** What `kubectl apply --server-side` calls itself. */
const kubectlWriter: CrdWriter = { manager: 'kubectl', operation: 'Apply' }

/** The manager that owns the versions: who applies before who updates, then the latest. Without any, kubectl. */
export function decideWriter(live: CustomResourceDefinition | undefined): CrdWriter {
  const [best] = ownersOf(live, ['spec', 'versions'], '').sort(
    (one, other) =>
      Number(other.operation === 'Apply') - Number(one.operation === 'Apply') || later(one, other),
  )
  return best === undefined ? kubectlWriter : { manager: best.manager, operation: best.operation }
}

/** The manager that has written the status, to write storedVersions in its name. */
export function decideStatusManager(live: CustomResourceDefinition): string {
  const [best] = ownersOf(live, ['status'], 'status').sort(later)
  return best?.manager ?? decideWriter(live).manager
}

/** Who wrote the spec last, for people: `argocd-controller (Apply, 2026-01-01T00:00:00Z)`. */
export function lastWriterText(live: CustomResourceDefinition): string | undefined {
  const [last] = ownersOf(live, ['spec'], '').sort(later)
  if (last === undefined) return undefined
  const when = last.time === undefined ? '' : `, ${last.time}`
  return `${last.manager} (${last.operation}${when})`
}

/** The labels or annotations that the writer owns. */
export function ownedMarks(
  live: CustomResourceDefinition,
  { manager, operation }: CrdWriter,
  field: 'labels' | 'annotations',
): Readonly<Record<string, string>> {
  const owned = ownersOf(live, ['metadata', field], '')
    .filter((each) => each.manager === manager && each.operation === operation)
    .map(({ set }) => set.children.get(fieldElement('metadata'))?.children.get(fieldElement(field)))
  return Object.fromEntries(
    Object.entries(live.metadata[field] ?? {}).filter(([key]) =>
      owned.some((set) => set?.children.has(fieldElement(key))),
    ),
  )
}

function ownersOf(
  live: CustomResourceDefinition | undefined,
  path: readonly string[],
  through: string,
): Managed[] {
  const managed = readManagedFields(live?.metadata.managedFields) ?? new Map<string, Managed>()
  return [...managed.values()].filter(({ set, subresource }) => {
    if (subresource !== through) return false
    let node: typeof set | undefined = set
    for (const field of path) node = node?.children.get(fieldElement(field))
    return node !== undefined
  })
}

const later = (one: Managed, other: Managed): number => (other.time ?? '').localeCompare(one.time ?? '')
