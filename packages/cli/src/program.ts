import { Command, CommanderError, Help, type Option } from 'commander'
import { commandModules, decideNeededCommands } from './command-modules.ts'
import type { CliContext } from './context.ts'
import { decideHeadings } from './options/flag-headings.ts'
import { exitCodes } from './output/exit-codes.ts'
import { type ProgramName, renameExamples } from './program-name.ts'
import { describeUnknownCommand } from './unknown-command.ts'
import { describeWrongUse } from './wrong-use.ts'

export interface Program {
  /** Resolves to the exit code. */
  run(args: readonly string[]): Promise<number>
}

/** The commands with their flags, all or those named; `done` gets the exit code of the one that runs. */
export async function createCommands(
  context: CliContext,
  done: (exitCode: number) => void,
  names = Object.keys(commandModules),
  programName: ProgramName = 'strata',
): Promise<Command> {
  const program = createBareProgram(programName)
  const known = {
    names: Object.keys(commandModules),
    load: (some: string[]) => createCommands(context, done, some, programName),
  }
  for (const name of names) (await commandModules[name]?.())?.(program, context, done, known)
  for (const command of program.commands) groupFlags(command)
  return program
}

export const createProgram = (context: CliContext): Program => ({
  run: (args) => runProgram(args, async () => context),
})

/** Resolves to the exit code. The context is loaded only if a command is: the version needs neither. */
export async function runProgram(
  args: readonly string[],
  loadContext: () => Promise<CliContext>,
  name: ProgramName = 'strata',
): Promise<number> {
  const unknown = describeUnknownCommand(args, Object.keys(commandModules))
  if (unknown !== undefined) {
    const { CliError } = await import('./output/errors.ts')
    throw new CliError(unknown, exitCodes.usage)
  }
  const needed = decideNeededCommands(args, Object.keys(commandModules))
  let exitCode = 0
  const done = (code: number): void => {
    exitCode = code
  }
  const program =
    needed.length === 0
      ? createBareProgram(name)
      : await createCommands(await loadContext(), done, needed, name)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has already printed the problem, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    throw error
  }
  return exitCode
}

const createBareProgram = (name: ProgramName): Command =>
  new Command(name)
    .description('Keeps stored API objects readable through every upgrade and every rollback.')
    .version('0.1.0')
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => process.stdout.write(renameExamples(text, name)),
      outputError: (text, write) => write(describeWrongUse(text)),
    })
    .exitOverride()

/** Flags without a group of their own are what the command is about, so they come first. */
function groupFlags(command: Command): void {
  const own = command.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
  const nameOf = ({ long, flags }: Option): string => long ?? flags
  const headings = decideHeadings(command.name(), own.map(nameOf))
  for (const option of own) option.helpGroup(headings.get(nameOf(option)) ?? '')
  for (const each of command.commands) groupFlags(each)
}

/** Hides `(default: false)` and `(default: [])`. Every command inherits it. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription
    .call(new Help(), option)
    .replace(/ \(default: (?:false|\[\])\)$/, '')
}
