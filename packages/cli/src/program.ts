import { Command, CommanderError, Help, type Option } from 'commander'
import { addAuditHistory } from './commands/audit-history.ts'
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

export function createProgram(context: CliContext): Program {
  const program = new Command('strata')
    .description('Keeps stored API objects readable through every upgrade and every rollback.')
    .version('0.1.0')
    .showHelpAfterError('(run with --help for the options and examples)')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  let exitCode = 0
  const done = (code: number): void => {
    exitCode = code
  }
  addUp(program, context, done)
  addServe(program, context, done)
  addControllers(program, context, done)
  addStatus(program, context, done)
  addCheck(program, context, done)
  addMigrate(program, context, done)
  addCensus(program, context, done)
  addVerify(program, context, done)
  addPrune(program, context, done)
  addAuditHistory(program, context, done)
  return {
    run: async (args) => {
      try {
        await program.parseAsync(args, { from: 'user' })
      } catch (error) {
        // Commander has already said what is wrong, or has shown the help that was asked for.
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
        throw error
      }
      return exitCode
    },
  }
}

/** That a flag which is not given is not given has not to be said. Commands below take this over. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription
    .call(new Help(), option)
    .replace(/ \(default: (?:false|\[\])\)$/, '')
}
