import { playPath, type RehearsalResult } from '@strata/rehearsal'
import type { ClusterFlags } from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import { explain } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { playLive } from './live/play-live.ts'
import { type LoadedPath, loadPath, type Reading } from './load-path.ts'
import type { PlayedRehearsal } from './report-rehearsals.ts'

export { rehearsalSchema } from '@strata/rehearsal'

export interface PlayFlags extends ClusterFlags {
  readonly seed: string
  /** Instead of what the files say. */
  readonly interleavings?: number
  /** On real processes. */
  readonly live: boolean
}

/** Reads every file before the first one is played: a mistake in the last should not cost the time of the others. */
export async function playFiles(
  files: readonly string[],
  flags: PlayFlags,
  context: CliContext,
): Promise<readonly PlayedRehearsal[]> {
  const loaded: LoadedPath[] = []
  const readCluster = readClusterOf(flags, context)
  for (const file of files) loaded.push(await loadPath(file, { readCluster }))
  const played: PlayedRehearsal[] = []
  for (const each of loaded) {
    context.signal.throwIfAborted()
    const result = flags.live ? await playLive(each, context) : await playSimulated(each, flags, context)
    played.push({ file: each.file, lines: each.lines, result })
  }
  return played
}

async function playSimulated(
  { file, path }: LoadedPath,
  { seed, interleavings = path.interleavings }: PlayFlags,
  { progress, signal }: CliContext,
): Promise<RehearsalResult> {
  const onPlayed = (searched: number): void =>
    progress?.(`${file}: ${searched} of ${interleavings} interleavings`)
  try {
    return await playPath({ ...path, interleavings }, { seed, onPlayed, signal })
  } finally {
    progress?.('')
  }
}

/** Connects only if a path asks for it. */
function readClusterOf(flags: ClusterFlags, context: CliContext): NonNullable<Reading['readCluster']> {
  return async (limit, subject) => {
    const { connectAsGiven, fleetContexts } = await import('../connection/cluster-client.ts')
    const { readClusterObjects } = await import('./read-cluster-objects.ts')
    const reached = { ...flags, ...(await fleetContexts(flags, context)) }
    const connection = await connectAsGiven(reached, context, 'strata-rehearse')
    try {
      return await readClusterObjects(connection.client, limit, subject, context.signal)
    } catch (error) {
      throw explain('the cluster cannot be read', error, exitCodes.notSeen)
    } finally {
      connection.close()
    }
  }
}
