import { kindsOf, type StoredObjects, type Subject } from '@strata/rehearsal'
import type { SnapshotObjects } from '@strata/rehearsal/form'
import { DamagedFile } from '../etcd-file/damaged-file.ts'
import { latestEntries } from '../etcd-file/latest-entries.ts'
import { openRandomAccess, type RandomAccess } from '../etcd-file/random-access.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { StoredChooser } from './choose-stored.ts'

/** What a snapshot of etcd has of the kinds of a rehearsal. */
export async function readSnapshotObjects(
  { snapshot, limit }: SnapshotObjects,
  subject: Subject,
): Promise<StoredObjects> {
  const source = `snapshot ${snapshot}`
  const chooser = new StoredChooser(kindsOf(subject), { limit, source, isOfCrds: subject.kind === 'crds' })
  const file = open(snapshot)
  try {
    for (const entry of latestEntries(file)) chooser.see(entry)
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error
    throw new CliError(`${source}: ${error.message}`, exitCodes.usage, { cause: error })
  } finally {
    file.close()
  }
  const { result } = chooser
  if (result) return result
  throw new CliError(
    `${source}: it has no keys below /registry; is it of a Kubernetes cluster?`,
    exitCodes.usage,
  )
}

function open(path: string): RandomAccess {
  try {
    return openRandomAccess(path)
  } catch (error) {
    throw new CliError(`snapshot ${path}: ${(error as Error).message}`, exitCodes.usage, { cause: error })
  }
}
