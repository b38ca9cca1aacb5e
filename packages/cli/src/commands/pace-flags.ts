import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** How hard a command works the servers. */
export interface PaceFlags {
  readonly concurrency?: number
  /** The old name of `concurrency`. */
  readonly parallelism?: number
  readonly qps?: number
  readonly pageSize: number
}

export const concurrencyDefault = 64

export function addPaceOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--concurrency <n>',
        `limit of concurrent writes, of all resources together; fewer when the server is busy (default: ${concurrencyDefault})`,
      ).argParser(parsePositive),
    )
    .addOption(new Option('--parallelism <n>').argParser(parsePositive).hideHelp())
    .addOption(
      new Option(
        '--qps <n>',
        'limit of requests per second, of all resources together (default: as many as the servers answer well)',
      ).argParser(parsePositive),
    )
    .addOption(
      new Option('--page-size <n>', 'how many objects are listed per request')
        .argParser(parsePositive)
        .default(500),
    )
}

export function paceOf({ concurrency, parallelism, qps, pageSize }: PaceFlags) {
  if (concurrency !== undefined && parallelism !== undefined) {
    const why = '--parallelism is the old name of --concurrency: give one of them'
    throw new CliError(why, exitCodes.usage)
  }
  return { concurrency: concurrency ?? parallelism ?? concurrencyDefault, qps, pageSize }
}

function parsePositive(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('give a whole number, 1 or more.')
  return Number(text)
}
