import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import type { PlaygroundAction } from '../../fleet/control/read-action.ts'
import { reportFleet } from '../../fleet/report-fleet.ts'
import type { RollGoal } from '../../fleet/roll/decide-roll-exit.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { printTo } from '../../output/print-report.ts'
import { addControlOptions, type ControlFlags, withFleet } from './with-fleet.ts'

interface Flags extends ControlFlags {
  readonly to?: string
  readonly oneByOne: boolean
  readonly skipReleases: boolean
  readonly pause: boolean
  readonly resume: boolean
  readonly back: boolean
}

export function addRoll(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  addControlOptions(
    program
      .command('roll')
      .description(
        'Take the servers of a running "strata up" to another release, one after the other, or back.',
      )
      .option('--to <release>', 'the release that the servers go to')
      .option(
        '--one-by-one',
        'with --to or --resume: pause after each server; on a terminal, ask whether to go on',
        false,
      )
      .option('--skip-releases', 'with --to: also to a release that is not the next one', false)
      .option('--pause', 'stop the roll before the next server', false)
      .option(
        '--resume',
        'go on to the end after a pause, or after a server that did not become ready',
        false,
      )
      .option('--back', 'take each server back to the release that it ran before the roll', false),
  )
    .addHelpText('after', help)
    .action(async (flags: Flags) => {
      const { action, goal } = readRoll(flags)
      const { followRoll } = await import('../../fleet/roll/follow-roll.ts')
      const asks = flags.oneByOne && context.ask !== undefined
      const { exit, state } = await withFleet(flags, context, async (control) => {
        await control.act(action)
        return followRoll(control, { goal, asks }, context)
      })
      printTo(context, reportFleet('roll', state), flags)
      done(exit)
    })
}

function readRoll(flags: Flags): { readonly action: PlaygroundAction; readonly goal: RollGoal } {
  const { to, oneByOne, skipReleases, pause, resume, back } = flags
  const given = [to !== undefined, pause, resume, back].filter(Boolean).length
  if (given !== 1) throw new CliError('give one of --to, --pause, --resume and --back', exitCodes.usage)
  if (oneByOne && to === undefined && !resume)
    throw new CliError('--one-by-one needs --to or --resume: give one of them', exitCodes.usage)
  if (skipReleases && to === undefined)
    throw new CliError('--skip-releases needs --to: give both', exitCodes.usage)
  if (to !== undefined) return { action: { action: 'roll', to, oneByOne, skipReleases }, goal: 'forward' }
  if (pause) return { action: { action: 'pause' }, goal: 'pause' }
  return resume
    ? { action: { action: 'resume', oneByOne }, goal: 'forward' }
    : { action: { action: 'back' }, goal: 'back' }
}

const help = `
Each server finishes its requests, removes its entries and stops; then it is started with the other release. The next one
follows once all others are ready. Clients go on meanwhile. Progress is printed on standard error.

A release that is not the next one, or the one before, is refused: what one release writes, a release further away may not
read. "strata check --to" tells; "--skip-releases" insists.

A server that does not become ready stops the roll: the others keep their release. "--back" mends that. A frozen server is
passed over; it follows once it is thawed (strata playground thaw).

Exit codes:
  0    the servers run that release; --pause: the roll is paused, or was over already
  1    a server does not become ready, the roll went the other way, or the fleet refused
  2    a flag is invalid
  3    the roll is paused, half-way
  5    no fleet runs there
  130  stopped by Ctrl-C; the roll goes on

Examples:
  $ strata roll --to x+2
  $ strata roll --to x+2 --one-by-one
  $ strata roll --pause
  $ strata roll --resume
  $ strata roll --back
  $ strata roll --to x+2 -o json | jq .roll`
