import { Command, CommanderError, Help, type Option } from 'commander'
import { addCensus } from './commands/census.ts'
import { addCheck } from './commands/check.ts'
import { addControllers } from './commands/controllers.ts'
import { addMigrate } from './commands/migrate.ts'
import { addPrune } from './commands/prune.ts'
import { addServe } from './commands/serve.ts'
import { addStatus } from './commands/status.ts'
import { addUp } from './commands/up.ts'
import { addVerify } from './commands/verify.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './output/exit-codes.ts'

export interface Program {
  /** Resolves to the exit code. */
  run(args: readonly string[]): Promise<number>
}

/** Every command with its flags; `done` gets the exit code of the one that runs. */
export function createCommands(context: CliContext, done: (exitCode: number) => void): Command {
  const program = new Command('strata')
    .description('Keeps stored API objects readable through every upgrade and every rollback.')
    .version('0.1.0')
    .showHelpAfterError('(run with --help for the options and examples)')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  addUp(program, context, done)
  addServe(program, context, done)
  addControllers(program, context, done)
  addStatus(program, context, done)
  addCheck(program, context, done)
  addMigrate(program, context, done)
  addCensus(program, context, done)
  addVerify(program, context, done)
  addPrune(program, context, done)
  return program
}

export function createProgram(context: CliContext): Program {
  let exitCode = 0
  const program = createCommands(context, (code) => {
    exitCode = code
  })
  return {
    run: async (args) => {
      try {
        await program.parseAsync(args, { from: 'user' })
      } catch (error) {
        // Commander has already printed the problem, or the help.
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
        throw error
      }
      return exitCode
    },
  }
}

/** Hides `(default: false)` and `(default: [])`. Every command inherits it. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription
    .call(new Help(), option)
    .replace(/ \(default: (?:false|\[\])\)$/, '')
}
