import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { connectFleet } from '../../fleet/control/control-client.ts'
import { parseCount } from '../../options/duration.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { printTo } from '../../output/print-report.ts'
import type { ControlFlags } from './with-fleet.ts'

interface Flags extends ControlFlags {
  readonly yes: boolean
  readonly servers: number
}

/** Adds the flags and the action of `strata playground scene`. */
export function addScene(command: Command, context: CliContext, done: (exitCode: number) => void): void {
  command
    .argument('[name]', 'the scene; without one, all are listed')
    .option('-y, --yes', 'do not wait for Enter before each step (default without a terminal)', false)
    .option('--servers <count>', 'servers of the fleet that a scene starts for itself', parseCount, 3)
    .addHelpText('after', help)
    .action(async (name: string | undefined, flags: Flags) => {
      done(name === undefined ? await listScenes(flags, context) : await playNamed(name, flags, context))
    })
}

async function listScenes(flags: Flags, context: CliContext): Promise<number> {
  const { allScenes } = await import('../../fleet/scenes/all-scenes.ts')
  const { reportScenes } = await import('../../fleet/scenes/report-scenes.ts')
  const control = await connectFleet(flags.dataDir, context.signal).catch(() => undefined)
  const state = await control?.read().catch(() => undefined)
  control?.close()
  printTo(context, reportScenes(allScenes, state), flags)
  return 0
}

async function playNamed(name: string, flags: Flags, context: CliContext): Promise<number> {
  const { allScenes } = await import('../../fleet/scenes/all-scenes.ts')
  const scene = allScenes.find((each) => each.name === name)
  if (!scene) {
    const names = allScenes.map((each) => each.name).join(', ')
    throw new CliError(`no scene ${JSON.stringify(name)}; there are ${names}`, exitCodes.usage)
  }
  const { playScene } = await import('../../fleet/scenes/play-scene.ts')
  const { reportScene } = await import('../../fleet/scenes/report-scenes.ts')
  const { dataDir, servers, yes } = flags
  const view = await playScene(
    scene,
    { dataDir, servers, pauses: !yes && context.ask !== undefined },
    context,
  )
  printTo(context, reportScene(view), flags)
  return view.state === 'proven' ? 0 : notShown
}

const notShown = 3

const help = `
A scene takes some steps on the servers of a running "strata up", tells what it does, what you would type for it and where to
look in the dashboard, and ends with one sentence about what was seen. Afterwards the fleet is as it was; of
the CRD of the scenes the agreement record stays. Some scenes start a small fleet of their own, and say so.

Exit codes:
  0    the sentence was seen; without a name: the scenes are listed
  1    a step failed, or the fleet cannot play it now
  2    an argument or flag is invalid
  3    the scene ended, and what it shows was not seen
  5    no fleet runs there
  130  stopped by Ctrl-C; the fleet is as it was

Examples:
  $ strata playground scene
  $ strata playground scene upgrade
  $ strata playground scene fence --yes -o json | jq -r .sentence`
