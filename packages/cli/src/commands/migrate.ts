import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { nothingMigrated, renderMigrations } from '../migration/report/render-migrations.ts'
import { whyNotMigratable } from '../migration/resources/choose-resources.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../migration/resources/cluster.ts'
import { givenFlags } from '../migration/resources/given-flags.ts'
import { type MigrateAllOptions, migrateAll } from '../migration/run/migrate-all.ts'
import { durationOption } from '../options/duration.ts'
import { printDocument } from '../output/document.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes, exitCodesHelp, worstOf } from '../output/exit-codes.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags {
  readonly output: 'table' | 'json' | 'yaml'
  readonly all: boolean
  readonly dryRun: boolean
  readonly parallelism: number
  readonly pageSize: number
  readonly agreementTimeout: number
  readonly takeOver: boolean
  readonly throughApi: boolean
  readonly wait: boolean
}

const parallelismDefault = 64

export function addMigrate(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('migrate')
    .argument('[resource...]', 'e.g. lamps.light.example.dev, secrets, or as kubectl shows them')
    .description(
      'Bring every stored object to the version that the servers agree on, and say what that proves.',
    )
    .option('-A, --all', 'every resource about whose storage something is published, except events', false)
  addServerOptions(addClusterOptions(command))
    .option(
      '--dry-run',
      'ask everything and store nothing: how many there are, and who would be refused',
      false,
    )
    .addOption(
      new Option('--parallelism <n>', 'the most requests at a time; fewer when the server is busy')
        .argParser(parsePositive)
        .default(parallelismDefault),
    )
    .addOption(
      new Option('--page-size <n>', 'how many objects are listed at a time')
        .argParser(parsePositive)
        .default(500),
    )
    .addOption(
      durationOption(
        '--agreement-timeout <duration>',
        'how long to wait for servers that do not agree yet',
        30_000,
        '30s',
      ),
    )
    .option(
      '--through-api',
      'each object by a request of its own, also where servers would do it next to the data',
      false,
    )
    .option('--take-over', 'do it here, also where the controllers are about to', false)
    .option('--no-wait', 'leave it to the controllers (strata controllers), and do not wait for them')
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      if (!flags.wait && flags.dryRun)
        throw new CliError('--no-wait does not go with --dry-run', exitCodes.usage)
      if (!flags.wait && flags.takeOver)
        throw new CliError('--no-wait does not go with --take-over: do it here, or leave it', exitCodes.usage)
      await withCluster(flags, context, async (cluster) => {
        const resources = resourcesOf(cluster, names, flags.all)
        // Before anything is written down that could not be gone on with.
        const [refusal] = resources.flatMap((each) => whyNotMigratable(each) ?? [])
        if (refusal !== undefined) throw new CliError(refusal, exitCodes.notSeen)
        const reports = await migrateAll(cluster, resources, optionsOf(flags), context)
        const form = flags.output
        if (form !== 'table') context.print(printDocument({ resources: reports }, form))
        else if (reports.length > 0) context.print(renderMigrations(reports, givenFlags(repeated(flags))))
        if (reports.length === 0) context.warn?.(nothingMigrated(resources.length))
        done(exitCodes[worstOf(reports.map(({ exit }) => exit))])
      })
    })
}

/** Whoever has throttled it wants the next command to be as slow; a default need not be said. */
function repeated({ parallelism, ...flags }: Flags): Parameters<typeof givenFlags>[0] {
  return { ...flags, ...(parallelism === parallelismDefault ? {} : { parallelism }) }
}

function optionsOf(flags: Flags): MigrateAllOptions {
  const { agreementTimeout: agreementTimeoutMs, ...options } = flags
  return { ...options, agreementTimeoutMs }
}

function parsePositive(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('give a whole number, 1 or more.')
  return Number(text)
}

const help = `
When the storage version of a resource changes (or the key that it is encrypted with), only what is written from then on is stored anew. Run
this to rewrite the rest; then "strata verify" says how it stands, and "strata prune" lets go of the old version of a custom resource.

Works on any Kubernetes cluster: each object gets a patch that changes nothing, which has the server write it anew if it is not
stored as it would be stored now. One that is refused is set aside with its reason, and the others go on. On Strata's servers
the result is proven (exit code 0); elsewhere a second pass that finds nothing is the best there is (observed clean, 3).

Strata's servers rewrite objects next to the data, thousands in a second. Admission is not asked there, so that this is not done where
a webhook has asked about updates of the resource, nor with --through-api.

How far it is stands in a StorageVersionMigration (kubectl get storageversionmigrations.migration.k8s.io), elsewhere in a file below
$XDG_STATE_HOME or ~/.local/state. Ctrl-C stops between two objects; a second one stops at once. The same command goes
on where it stopped, also after kill -9. Run twice at the same time, the second watches the first.

Where not every server guards its writes, as on other clusters than Strata, the first write waits for 70 seconds: until then a server that
has not heard of the change may still write the old version. Several resources wait together.

With --dry-run the exit code is 0 if nobody would be refused, and 1 if somebody would. With --no-wait it is 6 once the migration is asked
for, for nothing is known yet; whether controllers are at work is said. With --all it is 6 if everything was left alone.

${exitCodesHelp}

Examples:
  $ strata migrate lamps.light.example.dev
  $ strata migrate --all --dry-run
  $ strata migrate secrets --kubeconfig prod.kubeconfig --server https://10.0.0.1:6443 --server https://10.0.0.2:6443
  $ strata migrate lamps -o json | jq '.resources[].quarantine[]'
  $ strata migrate lamps && strata prune lamps.light.example.dev`
