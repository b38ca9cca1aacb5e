import type { World } from '@strata/world'
import { DamagedFile } from '../etcd-file/damaged-file.ts'
import { type LatestEntry, lastRevision, latestEntries } from '../etcd-file/latest-entries.ts'
import { openRandomAccess, type RandomAccess } from '../etcd-file/random-access.ts'
import { checkSnapshot, type SnapshotChecksum } from '../etcd-file/snapshot-checksum.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { StoreTally } from './store-tally.ts'

/** Where the counts come from, and how far they can be believed. */
export interface StoreReading {
  readonly from: 'etcd' | 'snapshot'
  /** `etcd at https://10.0.0.1:2379`, `snapshot backup.db`. */
  readonly source: string
  readonly revision: number
  /** Whether the counts are those of that revision, without doubt. */
  readonly isExact: boolean
  /** Why not. */
  readonly doubt?: string
}

const entriesPerTurn = 500

/** Counts what a snapshot of etcd holds, or the db file of a member. No etcd is needed. */
export function readSnapshot(
  path: string,
  tally: StoreTally,
  world: Pick<World, 'clock'>,
  signal: AbortSignal,
): Promise<StoreReading> {
  return readEntries(path, (entry) => tally.add(entry), world, signal)
}

/** Shows every key that exists in the file to `see`. The value is valid until the next one. */
export async function readEntries(
  path: string,
  see: (entry: LatestEntry) => Promise<void> | void,
  { clock }: Pick<World, 'clock'>,
  signal: AbortSignal,
): Promise<StoreReading> {
  const file = openOrExplain(path)
  try {
    const doubt = doubts[checkSnapshot(file)]
    const revision = lastRevision(file)
    let entries = 0
    for (const entry of latestEntries(file)) {
      await see(entry)
      if (++entries % entriesPerTurn !== 0) continue
      // Files are read synchronously: without a turn of the loop, Ctrl-C would not be heard.
      await new Promise<void>((resolve) => clock.soon(resolve))
      signal.throwIfAborted()
    }
    const read = { from: 'snapshot', source: `snapshot ${path}`, revision } as const
    return doubt === undefined ? { ...read, isExact: true } : { ...read, isExact: false, doubt }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error
    throw new CliError(`--etcd-snapshot ${path}: ${error.message}`, exitCodes.notSeen, { cause: error })
  } finally {
    file.close()
  }
}

const doubts: Readonly<Record<SnapshotChecksum, string | undefined>> = {
  matches: undefined,
  missing:
    'the file has no checksum, so it is a copy of a member\'s db file: the last writes are in the WAL beside it, and are not counted; "etcdctl snapshot save" writes an exact file',
  wrong:
    'the checksum at the end of the file does not match its content: it was damaged or changed after it was written',
}

function openOrExplain(path: string): RandomAccess {
  try {
    return openRandomAccess(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CliError(`--etcd-snapshot ${path}: ${why}`, exitCodes.usage, { cause: error })
  }
}
