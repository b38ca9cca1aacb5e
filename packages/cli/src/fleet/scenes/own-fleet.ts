import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadline, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { readControlAccess } from '../control/control-file.ts'
import { startMember } from '../processes/member.ts'
import type { OwnFleet } from './scene.ts'

export interface RunningFleet {
  readonly dataDir: string
  /** Ends it, and removes everything of it. */
  end(): Promise<void>
}

const patienceMs = 60_000
const stopMs = 30_000

/** Starts a small fleet in a temporary directory. */
export async function startOwnFleet(
  { servers, own }: { readonly servers: number; readonly own: OwnFleet },
  context: CliContext,
): Promise<RunningFleet> {
  const { world, signal } = context
  const directory = await mkdtemp(join(tmpdir(), 'strata-scene-'))
  const dataDir = join(directory, 'data')
  await mkdir(dataDir)
  const args = [
    ...['up', '--data-dir', dataDir, '--servers', String(servers), '--port', '0', '--dashboard-port', '0'],
    ...(await own.arguments(directory)),
  ]
  const logFile = join(directory, 'up.log')
  const up = startMember(context, { name: 'the fleet of the scene', args, logFile })
  const end = async (): Promise<void> => {
    const hurry = deadline(world.clock, stopMs)
    await up.stop(hurry.signal)
    hurry.dispose()
    await rm(directory, { recursive: true, force: true })
  }
  let failure: string | undefined
  void up.gaveUp.then(({ why }) => {
    failure = why
  })
  const limit = deadline(world.clock, patienceMs, signal)
  try {
    while (!(await isUp(dataDir))) {
      if (failure !== undefined) throw new CliError(`the fleet of the scene does not start: ${failure}`)
      await sleep(world.clock, 50, limit.signal)
    }
    up.markReady()
    return { dataDir, end }
  } catch (error) {
    await end()
    throw error
  } finally {
    limit.dispose()
  }
}

/** The file is written once the servers answer. */
const isUp = (dataDir: string): Promise<boolean> =>
  readControlAccess(dataDir).then(
    () => true,
    () => false,
  )
