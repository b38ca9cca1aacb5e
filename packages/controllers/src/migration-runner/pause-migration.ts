import { isEnded, type MigrationView } from '@strata/insight'
import { deadline, type Log, type World } from '@strata/world'
import { type MigrationWriter, pausedStage } from '../migration-object/index.ts'

/** Marks a migration as paused and removes our claim, so that another process can resume it at once. */
export async function pauseMigration(writer: MigrationWriter, signal: AbortSignal): Promise<void> {
  await writer.write({ stage: pausedStage(writer.view) }, signal)
  await writer.release(signal)
}

/** Short: the process is about to end. */
const releaseMs = 2_000

/**
 * Removes our claims when the process ends. If that fails, others take over as after a crash.
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
