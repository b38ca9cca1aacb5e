import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type ClusterFlags, connectAsGiven } from '../../connection/cluster-client.ts'
import type { CliContext } from '../../context.ts'
import { collect } from '../../options/duration.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { listenForMetrics } from '../../process/metrics-listener.ts'
import { kubeconfigHelp } from '../cluster-options.ts'
import { addControllersInit } from './controllers-init.ts'
import { addControllersInstall, addControllersUninstall } from './controllers-install.ts'
import { addMigrationFlags, type MigrationFlags, migrationOptions } from './migration-flags.ts'
import { addTriggerFlags, type TriggerFlags } from './trigger-flags.ts'

interface ControllersFlags extends ClusterFlags, TriggerFlags, MigrationFlags {
  readonly controllers: readonly string[]
  readonly rootCaFile?: string
}

export function addControllers(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  const command = program
    .command('controllers')
    // Flags after a subcommand are its own.
    .enablePositionalOptions()
    .description(
      'Run the leader-elected controllers: remove expired servers, maintain namespaces, collect garbage, and trigger and run storage version migrations.',
    )
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option(
      '--context <name>',
      'context of the kubeconfig; may be repeated: when one server fails, the next one is asked',
      collect,
      [],
    )
    .addOption(
      new Option(
        '--controllers <names>',
        "controllers to run, separated by commas: '*' for all, '-name' for all but this one",
      )
        .argParser((names) => names.split(','))
        .default(['*'], '*'),
    )
    .option(
      '--root-ca-file <file>',
      'CA certificates to publish in every namespace, as ConfigMap kube-root-ca.crt (default: none)',
    )
  addMigrationFlags(addTriggerFlags(command))
    .addHelpText(
      'after',
      `
Old versions are forgotten after a migration with this result, or a better one:
  --accept proven          every server guarded its writes
  --accept observed-clean  a second pass found nothing to rewrite, but a server may still store an old version
  --accept succeeded       any success
The storedVersions of a CRD are pruned after proven; after observed clean only with --accept observed-clean or succeeded; and
never after less.
The --accept of "strata prune" has other values: it is about what is known of stored objects, not about one migration.

Exit codes:
  0  stopped by a signal
  1  the controllers cannot start, or cannot continue
  2  a flag, or a file that it names, is wrong

Examples:
  $ strata controllers
  $ strata controllers --kubeconfig admin.kubeconfig --context strata-1 --context strata-2
  $ strata controllers --controllers '*,-garbage-collector'
  $ strata controllers --controllers storage-version-migration-trigger --install-crds
  $ strata controllers --reporter-for https://127.0.0.1:6443 --controllers storage-version-migration-trigger
  $ strata controllers --metrics-address 127.0.0.1:2112 --finished-migration-ttl 168h
  $ strata controllers init --dry-run
  $ strata controllers install --image registry.example.dev/strata:0.1.0 --dry-run`,
    )
    .action(async (flags: ControllersFlags) => {
      const { chosenControllers, MigrationMetrics, runControllers, TriggerMetrics } = await import(
        '@strata/controllers/main'
      )
      try {
        chosenControllers(flags.controllers)
      } catch (error) {
        const why = error instanceof Error ? error.message : error
        throw new CliError(`--controllers: ${why}`, exitCodes.usage)
      }
      const rootCa = flags.rootCaFile === undefined ? undefined : await readRootCa(flags.rootCaFile)
      const migrations = migrationOptions(flags)
      const migrationMetrics = new MigrationMetrics()
      const triggerMetrics = new TriggerMetrics()
      const reached = { ...flags, server: flags.reporterFor }
      const connection = await connectAsGiven(reached, context, 'strata-controllers')
      const { metricsAddress } = flags
      const listener =
        metricsAddress &&
        (await listenForMetrics(metricsAddress, () => migrationMetrics.text() + triggerMetrics.text()))
      if (listener) context.print(`metrics are at ${listener.url}`)
      try {
        await runControllers({
          world: context.world,
          client: connection.client,
          options: {
            controllers: flags.controllers,
            rootCa,
            ...triggerOptions(flags),
            ...migrations,
            ...{ migrationMetrics, triggerMetrics },
          },
          signal: context.signal,
        })
      } finally {
        listener?.close()
        connection.close()
      }
      done(0)
    })
  addControllersInit(command, context, done)
  addControllersInstall(command, context, done)
  addControllersUninstall(command, context, done)
}

function triggerOptions(flags: TriggerFlags) {
  const { pollPeriod: periodMs, equalPolls, staleAfterPeriods, accept, installCrds, reporterFor } = flags
  return {
    trigger: { periodMs, equalPolls, staleAfterPeriods, accept },
    ...{ installCrds, reports: reporterFor !== undefined },
  }
}

async function readRootCa(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as { code?: string }
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new CliError(`--root-ca-file ${path}: ${why}`, exitCodes.usage)
  })
  // Clients trust what is published: a private key, or a wrong file, must not get there.
  if (/-----BEGIN CERTIFICATE-----/.test(text) && !/PRIVATE KEY/.test(text)) return text
  throw new CliError(
    `--root-ca-file ${path}: must hold certificates in PEM form, and no key`,
    exitCodes.usage,
  )
}
