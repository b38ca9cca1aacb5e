import type { Command } from 'commander'
import { parseCount, parseDuration } from '../../options/duration.ts'
import { type ListenAddress, parseListenAddress } from '../../process/metrics-listener.ts'

/** How the controllers run migrations, and where they serve metrics. */
export interface MigrationFlags {
  readonly concurrentMigrations?: number
  readonly finishedMigrationTtl?: number
  readonly migrateThroughApi?: true
  readonly metricsAddress?: ListenAddress
}

export function addMigrationFlags(command: Command): Command {
  return command
    .optionsGroup('Migrations:')
    .option(
      '--concurrent-migrations <count>',
      'how many resources are migrated at the same time (default: 5)',
      parseCount,
    )
    .option(
      '--finished-migration-ttl <duration>',
      'delete finished StorageVersionMigrations after this time (default: never)',
      parseDuration,
    )
    .option(
      '--migrate-through-api',
      'migrate each object with a request of its own, even where the servers can rewrite objects next to the data',
    )
    .option(
      '--metrics-address <host:port>',
      'serve /metrics at this address, without authentication (default: off)',
      parseListenAddress,
    )
}

export function migrationOptions(flags: MigrationFlags) {
  const { concurrentMigrations, finishedMigrationTtl, migrateThroughApi } = flags
  return {
    migrationsAtOnce: concurrentMigrations,
    finishedMigrationTtlMs: finishedMigrationTtl,
    migrationNextToData: !migrateThroughApi,
  }
}
