import type { Command } from 'commander'
import { parseDuration, parseWhole } from '../options/duration.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type ListenAddress, parseListenAddress } from '../process/metrics-listener.ts'

/** How the controllers run migrations, and where they tell of it. */
export interface MigrationFlags {
  readonly concurrentMigrations?: number
  readonly finishedMigrationTtl?: number
  readonly migrateThroughApi?: true
  readonly metricsAddress?: ListenAddress
}

export function addMigrationFlags(command: Command): Command {
  return command
    .option(
      '--concurrent-migrations <count>',
      'how many resources are migrated side by side (default: 5)',
      parseWhole,
    )
    .option(
      '--finished-migration-ttl <duration>',
      'delete StorageVersionMigrations so long after their end; without it they stay',
      parseDuration,
    )
    .option(
      '--migrate-through-api',
      'migrate each object by a request of its own, also where the servers could do it next to the data',
    )
    .option(
      '--metrics-address <host:port>',
      'answer /metrics there, to whoever asks; without it nobody is answered',
      parseListenAddress,
    )
}

export function migrationOptions(flags: MigrationFlags) {
  const { concurrentMigrations, finishedMigrationTtl, migrateThroughApi } = flags
  if (concurrentMigrations === 0)
    throw new CliError('--concurrent-migrations: give at least 1', exitCodes.usage)
  return {
    ...(concurrentMigrations === undefined ? {} : { migrationsAtOnce: concurrentMigrations }),
    ...(finishedMigrationTtl === undefined ? {} : { finishedMigrationTtlMs: finishedMigrationTtl }),
    ...(migrateThroughApi ? { migrationNextToData: false } : {}),
  }
}
