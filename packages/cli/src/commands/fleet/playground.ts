import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import type { PlaygroundAction } from '../../fleet/control/read-action.ts'
import { reportFleet, reportLink } from '../../fleet/report-fleet.ts'
import type { FleetState } from '../../fleet/state/fleet-state.ts'
import { parseWhole } from '../../options/duration.ts'
import { printTo } from '../../output/print-report.ts'
import { addScene } from './playground-scene.ts'
import { addControlOptions, type ControlFlags, withFleet } from './with-fleet.ts'

/** Adds the commands that do to a running fleet what one does not do to a production one. */
export function addPlayground(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const group = program
    .command('playground')
    .description('Break, change and load the servers of a running "strata up", and play scenes with them.')
  const command = (name: string, description: string): Command =>
    addControlOptions(group.command(name).description(description))

  const report = (flags: ControlFlags, state: FleetState): void => {
    printTo(context, reportFleet('playground', state), flags)
    done(0)
  }
  const act = (flags: ControlFlags, action: PlaygroundAction): Promise<void> =>
    withFleet(flags, context, async (control) => {
      const said = await control.act(action)
      if (said !== undefined) context.warn?.(said)
      report(flags, await control.read())
    })

  command('show', 'Show the servers, the roll and the load.')
    .addHelpText('after', exits('$ strata playground show -o json'))
    .action((flags: ControlFlags) =>
      withFleet(flags, context, async (control) => report(flags, await control.read())),
    )
  for (const [name, description] of Object.entries(onServers)) {
    command(name, description)
      .argument('<server>', 'strata-1, strata-2, …')
      .addHelpText('after', exits(`$ strata playground ${name} strata-2`))
      .action((server: string, flags: ControlFlags) =>
        act(flags, { action: name as keyof typeof onServers, server }),
      )
  }
  command('link', 'Print a link that signs in to the dashboard of the fleet, once, within two minutes.')
    .addHelpText('after', exits('$ strata playground link'))
    .action((flags: ControlFlags) =>
      withFleet(flags, context, async (control) => {
        printTo(context, reportLink(await control.createLink()), flags)
        done(0)
      }),
    )
  addScene(
    command('scene', 'Play a guided scene on a running fleet, step by step, or list the scenes.'),
    context,
    done,
  )
  command('load', 'Write objects through all servers, so many per second; 0 ends it and removes the objects.')
    .argument('<writes-per-second>', 'a whole number', parseWhole)
    .addHelpText('after', exits('$ strata playground load 50', '$ strata playground load 0'))
    .action((writesPerSecond: number, flags: ControlFlags) => act(flags, { action: 'load', writesPerSecond }))
  command('switch-storage-version', 'Store the objects of a CRD in another of its versions from now on.')
    .argument('<crd>', 'its full name')
    .argument('<version>', 'one of its versions')
    .addHelpText('after', exits('$ strata playground switch-storage-version lamps.light.example.dev v2'))
    .action((crd: string, version: string, flags: ControlFlags) =>
      act(flags, { action: 'switch-storage-version', crd, version }),
    )
}

const onServers = {
  crash: 'End a server as "kill -9" does. It is started again by itself.',
  freeze: 'Stop a server in the middle of what it does (SIGSTOP), between two commits.',
  thaw: 'Let a frozen server go on.',
} as const

const exits = (...examples: readonly string[]): string => `
Exit codes:
  0  done
  1  the fleet refused, and says why
  2  an argument or flag is invalid
  5  no fleet runs there

Examples:
${examples.map((each) => `  ${each}`).join('\n')}`
