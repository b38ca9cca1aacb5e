import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { exitCodes, exitCodesHelp, worstOf } from '../exit-codes.ts'
import { chooseDefinitions } from '../migration/choose-definitions.ts'
import { type Cluster, type MigrationFlags, notSeenError, withCluster } from '../migration/cluster.ts'
import { type PruneOptions, type PruneReport, pruneDefinition } from '../migration/prune-definition.ts'
import { printDocument } from '../output/document.ts'
import { formatTable } from '../output/table.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags {
  readonly output: 'table' | 'json' | 'yaml'
  readonly all: boolean
  readonly accept: 'proven' | 'observed-clean' | 'unknown'
  readonly dryRun: boolean
}

export function addPrune(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('prune')
    .argument('[definition...]', 'e.g. lamps.light.example.dev')
    .description(
      'Take versions that nothing is stored in out of the storedVersions of definitions, so that they can be removed.',
    )
    .option('-A, --all', 'every definition', false)
  addServerOptions(addClusterOptions(command))
    .addOption(
      new Option('--accept <verdict>', 'the least that is enough')
        .choices(['proven', 'observed-clean', 'unknown'])
        .default('proven'),
    )
    .option('--dry-run', 'say what would be done, and do nothing', false)
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      await withCluster(flags, context, async (cluster) => {
        const chosen = await chooseDefinitions(cluster, names, flags.all, context.signal)
        const reports: PruneReport[] = []
        for (const name of chosen) reports.push(await pruneOne(cluster, name, flags, context))
        const form = flags.output
        context.print(
          form === 'table' ? render(reports, flags) : printDocument({ definitions: reports }, form),
        )
        done(exitCodes[worstOf(reports.map(({ exit }) => exit))])
      })
    })
}

/** One that could not be pruned keeps no other from being told of. */
async function pruneOne(
  cluster: Cluster,
  name: string,
  flags: Flags,
  { signal }: CliContext,
): Promise<PruneReport> {
  try {
    return await pruneDefinition(cluster, name, optionsOf(flags), signal)
  } catch (error) {
    signal.throwIfAborted()
    const { message: because } = notSeenError('it could not be pruned', error)
    return { definition: name, result: 'refused', because, exit: 'notSeen', storedVersions: [] }
  }
}

function optionsOf({ accept, dryRun }: Flags): PruneOptions {
  return { accept: accept === 'observed-clean' ? 'observed clean' : accept, dryRun }
}

function render(reports: readonly PruneReport[], { all, accept }: Flags): string {
  const told = reports.filter(({ result }) => !all || result !== 'nothing to prune')
  if (told.length === 0)
    return `Nothing to prune: each of ${reports.length} definitions has one stored version.`
  const table = formatTable(
    ['DEFINITION', 'RESULT', 'STORED VERSIONS', 'STORAGE VERSION', 'DROPPED'],
    told.map((each) => [
      each.definition,
      each.result,
      each.storedVersions.join(','),
      each.storageVersion ?? '-',
      each.dropped?.join(',') ?? '-',
    ]),
  )
  const remarks = told.flatMap(({ definition, because, next }) => [
    `${definition}: ${because}`,
    ...(next === undefined ? [] : [`  Next: ${next}`]),
  ])
  const isBlind = accept === 'unknown' && told.some(({ exit }) => exit === 'unknown')
  const warning = isBlind
    ? [
        '',
        'Nobody knows whether objects are stored in what was dropped. They cannot be read once the version is removed.',
      ]
    : []
  return [table, '', ...remarks, ...warning].join('\n')
}

const help = `
A version can be removed from a definition only when it is not in status.storedVersions any more. This takes it out if everything is
proven to be stored in the storage version, by a reading of the store or by a migration whose target still stands (see strata
verify). Where less is known it refuses, unless less is accepted:
  --accept observed-clean  the last pass of a migration found nothing else, but no server guards it
  --accept unknown         nothing is known. Should something be stored in the old version, then nobody can read it
                           once the version is removed
Objects that are known to be stored otherwise are accepted by nothing. The change is refused by the server if the definition
is another, or was changed, since it was judged (uid, generation, resourceVersion).

${exitCodesHelp}

Examples:
  $ strata prune lamps.light.example.dev
  $ strata prune --all --dry-run
  $ strata prune lamps.light.example.dev --accept observed-clean`
