import {
  aggregatedIdentityLabelValue,
  identityLabel,
  identityNamespace,
  isIdentityLease,
  type Lease,
  mirroredServerId,
  originLabel,
  originServerAnnotation,
} from '@strata/api'
import type { Preconditions } from '@strata/client'

export interface LeaseFacts {
  readonly origin: string
  readonly serverID: string
  /** The mirrored Lease in the aggregator. Undefined: certainly absent. */
  readonly shown: Lease | undefined
  /** The Lease in the origin, read after `shown`. Undefined: certainly absent. */
  readonly lease: Lease | undefined
}

export type MirroredLeaseDecision =
  | { readonly do: 'nothing'; readonly isThere: boolean; readonly because: string }
  | MirroredLeaseWrite

export type MirroredLeaseWrite =
  | { readonly do: 'create' | 'update'; readonly lease: Lease; readonly because: string }
  | { readonly do: 'delete'; readonly preconditions: Preconditions; readonly because: string }

/**
 * What to write for one server of the origin. Times in the Leases are copied and never compared: the wall clock of a server may
 * be set back. The mirrored Lease cannot go back to an older renewal all the same. It was read before the Lease of the origin,
 * and is replaced only as it was read; so what replaces it was read later than what it shows (rule 15).
 */
export function decideMirroredLease({ origin, serverID, shown, lease }: LeaseFacts): MirroredLeaseDecision {
  if (!lease || !isIdentityLease(lease)) {
    if (!shown) return { do: 'nothing', isThere: false, because: 'the server has no Lease' }
    const { uid, resourceVersion } = shown.metadata
    const because = 'the Lease of the server is gone'
    return { do: 'delete', preconditions: { uid, resourceVersion }, because }
  }
  const spec = mirroredSpec(lease)
  const labels = { [identityLabel]: aggregatedIdentityLabelValue, [originLabel]: origin }
  const annotations = { [originServerAnnotation]: serverID }
  if (!shown) {
    const metadata = {
      ...{ namespace: identityNamespace, name: mirroredServerId(origin, serverID) },
      ...{ labels, annotations },
    }
    return { do: 'create', lease: { metadata, spec }, because: 'the server has no Lease in the aggregator' }
  }
  const before = shown.metadata
  const isMarked = includes(before.labels, labels) && includes(before.annotations, annotations)
  if (isMarked && sameSpec(shown.spec ?? {}, spec)) {
    return { do: 'nothing', isThere: true, because: 'the aggregator shows it' }
  }
  const metadata = {
    ...before,
    labels: { ...before.labels, ...labels },
    annotations: { ...before.annotations, ...annotations },
  }
  const because = isMarked ? 'the server renewed its Lease' : 'a label or an annotation is missing'
  return { do: 'update', lease: { ...shown, metadata, spec }, because }
}

type LeaseSpec = NonNullable<Lease['spec']>

const copied = [
  'holderIdentity',
  'leaseDurationSeconds',
  'acquireTime',
  'renewTime',
  'leaseTransitions',
] as const

function mirroredSpec({ spec = {} }: Lease): LeaseSpec {
  return Object.fromEntries(
    copied.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]])),
  )
}

function sameSpec(a: LeaseSpec, b: LeaseSpec): boolean {
  return copied.every((field) => a[field] === b[field])
}

function includes(
  all: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => all[key] === value)
}
