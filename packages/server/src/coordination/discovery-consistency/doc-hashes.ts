import {
  type DiscoveryDocHash,
  type DiscoveryDocHashes,
  discoveryDocHashesName,
  serviceUnavailable,
} from '@strata/api'
import { jitter, sleep, timestamp, uuid, type World } from '@strata/world'
import { type Entry, type Guard, readOne, type Store } from '../../store/index.ts'
import { docHashesKey, docHashesKind } from '../frozen-kinds.ts'
import { withoutDocHash } from './decide-doc-hashes.ts'

const attemptsPerChange = 20

export interface DocHashesChange {
  readonly entries: readonly DiscoveryDocHash[]
  /** More guards of the same transaction. If one breaks, the change ends: the decision no longer holds. */
  readonly guards: readonly Guard[]
}

/**
 * Changes the one object by compare-and-swap. A lost race is retried with jitter, a bounded number of times; each attempt
 * calls `decide` with the entries as just read. Returns the revision of the object that has the decided entries; undefined
 * if a guard of the caller broke.
 */
export async function changeDocHashes(
  { store, world }: { readonly store: Store; readonly world: World },
  decide: (
    entries: readonly Partial<DiscoveryDocHash>[],
  ) => Promise<DocHashesChange | undefined> | DocHashesChange | undefined,
  signal: AbortSignal,
): Promise<Guard['revision'] | undefined> {
  for (let attempt = 0; attempt < attemptsPerChange; attempt++) {
    const stored = await readOne(store, docHashesKey, signal)
    const object = stored && docHashesKind.decode(stored)
    const wanted = await decide(listOf(object?.hashes))
    if (!wanted) return stored?.revision ?? 'absent'
    const value = docHashesKind.encode(objectOf(object, wanted.entries, world))
    const outcome = await store.commit(
      {
        writes: [{ kind: 'put', key: docHashesKey, value }],
        guards: [{ key: docHashesKey, revision: stored?.revision ?? 'absent' }, ...wanted.guards],
      },
      signal,
    )
    if (outcome.outcome === 'committed') return outcome.revisions[0] ?? outcome.revision
    if (outcome.broken.some(({ guard }) => guard.key !== docHashesKey)) return undefined
    await sleep(world.clock, jitter(world.random, 10 + 10 * attempt, 0.9), signal)
  }
  throw serviceUnavailable(
    `could not update the discovery hashes: other servers changed them ${attemptsPerChange} times meanwhile`,
    1,
  )
}

/**
 * Removes a server's entry under these guards, for instance before a Lease changes hands. Otherwise the next process serves
 * other documents while the entry of the earlier process still stands for it. Returns a guard of the whole object: while it
 * holds, the entry stays absent. Undefined if one of the given guards broke.
 */
export async function removeDocHash(
  parts: { readonly store: Store; readonly world: World },
  serverID: string,
  guards: readonly Guard[],
  signal: AbortSignal,
): Promise<Guard | undefined> {
  const revision = await changeDocHashes(
    parts,
    (entries) => {
      const others = withoutDocHash(entries as readonly DiscoveryDocHash[], serverID)
      return others && { entries: others, guards }
    },
    signal,
  )
  return revision === undefined ? undefined : { key: docHashesKey, revision }
}

/** Undefined if the object is absent, or cannot be decoded. */
export function readDocHashes(
  entry: Pick<Entry, 'key' | 'value'> | undefined,
): readonly DiscoveryDocHash[] | undefined {
  if (!entry) return undefined
  try {
    return listOf(docHashesKind.decode({ revision: 0, createRevision: 0, ...entry }).hashes)
  } catch {
    return undefined
  }
}

function objectOf(
  before: DiscoveryDocHashes | undefined,
  hashes: readonly DiscoveryDocHash[],
  { clock, random }: World,
): DiscoveryDocHashes {
  const metadata = before?.metadata ?? {
    name: discoveryDocHashesName,
    uid: uuid(random),
    creationTimestamp: timestamp(clock),
  }
  return { metadata, hashes }
}

/** A client may have written anything. */
function listOf(hashes: unknown): readonly DiscoveryDocHash[] {
  return Array.isArray(hashes) ? hashes : []
}
