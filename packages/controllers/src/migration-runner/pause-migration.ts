import { deadline, type Log, type World } from '@strata/world'
import { isEnded, type MigrationView, type MigrationWriter, pausedStage } from '../migration-object/index.ts'

/** Tells one that is paused so, and lets it go: whoever goes on with it, here or elsewhere, need not wait for us. */
export async function pauseMigration(writer: MigrationWriter, signal: AbortSignal): Promise<void> {
  await writer.write({ stage: pausedStage(writer.view) }, signal)
  await writer.release(signal)
}

/** Nobody waits for somebody who ends. */
const releaseMs = 2_000

/**
 * What was ours is free at once when we end kindly. Should that fail, it is taken over as from one that was killed.
 */
export async function releaseAll(
  migrations: readonly MigrationView[],
  writerOf: (view: MigrationView) => MigrationWriter | undefined,
  { world, log }: { readonly world: Pick<World, 'clock'>; readonly log: Log },
): Promise<void> {
  const limit = deadline(world.clock, releaseMs)
  const release = async (view: MigrationView): Promise<void> => {
    try {
      await writerOf(view)?.release(limit.signal)
    } catch (error) {
      log.info('releasing a migration failed', { migration: view.name, error: String(error) })
    }
  }
  const open = migrations.filter((each) => each.claim !== undefined && !isEnded(each))
  await Promise.all(open.map(release)).finally(() => limit.dispose())
}
