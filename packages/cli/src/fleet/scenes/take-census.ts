import { type StorageCensus, storageCensuses, versionNameOf } from '@strata/api'
import { addressOf } from '@strata/client'
import type { ResourceName } from './record-view.ts'
import type { Stage } from './stage.ts'

/** How the objects of a resource are stored: read from the store, not from what servers say they write. */
export interface Stored {
  readonly total: number
  readonly byVersion: Readonly<Record<string, number>>
  readonly byKey: Readonly<Record<string, number>>
  /** The counts are final: no server can add a stale object. */
  readonly proven: boolean
}

export async function takeCensus(stage: Stage, { group, resource }: ResourceName): Promise<Stored> {
  const censuses = stage.client.resource<StorageCensus>(addressOf(storageCensuses, 'v1alpha1'))
  const { status: answer } = await censuses.create({ metadata: {}, spec: { group, resource } }, stage.signal)
  if (!answer) throw new Error('the census has no answer')
  const status = answer
  const sum = (nameOf: (each: (typeof status.encodings)[number]) => string): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const each of status.encodings) counts[nameOf(each)] = (counts[nameOf(each)] ?? 0) + each.count
    return counts
  }
  return {
    ...{ total: status.total, proven: status.proven },
    byVersion: sum(({ encodingVersion }) => versionNameOf(encodingVersion)),
    byKey: sum(({ key }) => key ?? 'no key'),
  }
}

/** `20 in v1, 3 in v2`; `none`. */
export function describeCounts(counts: Readonly<Record<string, number>>, word = 'in'): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${word} ${name}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}
