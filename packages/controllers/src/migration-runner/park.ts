import { deadline, type Log, timestamp, type World } from '@strata/world'
import {
  isEnded,
  type MigrationRecord,
  type MigrationView,
  pausedAnnotation,
  statusPatch,
} from '../migration-object/index.ts'

/** Tells one that is paused so, and lets it go: whoever goes on with it, here or elsewhere, need not wait for us. */
export async function park(
  record: MigrationRecord,
  world: Pick<World, 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(world.clock)
  const saying = (view: MigrationView) => ({ kind: 'paused', next: unpausing(view) }) as const
  await record.writeStatus((view) => statusPatch(view, { saying: saying(view) }, now), signal)
  await record.release(signal)
}

/** As kubectl takes it. */
const unpausing = ({ group, name }: Pick<MigrationView, 'group' | 'name'>): string =>
  `kubectl annotate storageversionmigrations.${group}/${name} ${pausedAnnotation}-`

/** Nobody waits for somebody who ends. */
const releaseMs = 2_000

/**
 * What was ours is free at once when we end kindly. Should that fail, it is taken over as from one that was killed.
 */
export async function releaseAll(
  migrations: readonly MigrationView[],
  recordOf: (view: MigrationView) => MigrationRecord | undefined,
  { world, log }: { readonly world: Pick<World, 'clock'>; readonly log: Log },
): Promise<void> {
  const limit = deadline(world.clock, releaseMs)
  const release = async (view: MigrationView): Promise<void> => {
    try {
      await recordOf(view)?.release(limit.signal)
    } catch (error) {
      log.info('a migration could not be let go', { migration: view.name, error: String(error) })
    }
  }
  const open = migrations.filter((each) => each.claim !== undefined && !isEnded(each))
  await Promise.all(open.map(release)).finally(() => limit.dispose())
}
