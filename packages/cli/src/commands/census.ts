import { groupResourceText, maxCensusObjects } from '@strata/api'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { verdictExits } from '../migration/evidence/decide-evidence.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import { type CensusReport, renderCensus } from '../migration/report/render-census.ts'
import {
  type Cluster,
  type MigrationFlags,
  storedResourcesOf,
  withCluster,
} from '../migration/resources/cluster.ts'
import { askEach } from '../migration/resources/each-resource.ts'
import { observeHints } from '../migration/resources/stored-hints.ts'
import { printDocument } from '../output/document.ts'
import { type ExitWord, exitCodes, exitCodesHelp, nothingServed, worstOf } from '../output/exit-codes.ts'
import { addClusterOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags {
  readonly output: 'table' | 'json' | 'yaml'
  readonly all: boolean
  readonly names: number
}

export function addCensus(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('census')
    .argument('[resource...]', 'e.g. lamps.light.example.dev, secrets, or as kubectl shows them')
    .description('Count what is really stored: in which versions, under which keys, and what cannot be read.')
    .option('-A, --all', 'every resource that can be migrated', false)
  addClusterOptions(command)
    .addOption(
      new Option('--names <n>', 'how many objects to name of those that are stale or cannot be read')
        .argParser(parseNames)
        .default(10),
    )
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      await withCluster({ ...flags, server: [], samples: 1 }, context, async (cluster) => {
        const resources = await storedResourcesOf(cluster, names, flags.all, context.signal)
        const reports = await askEach(resources, context, (each, look) =>
          look((signal) => count(cluster, each, flags, signal)),
        )
        const form = flags.output
        if (reports.length === 0) context.warn?.(nothingServed)
        if (reports.length > 0 || form !== 'table')
          context.print(
            form === 'table'
              ? renderCensus(reports, !flags.all)
              : printDocument({ resources: reports }, form),
          )
        done(exitCodes[context.signal.aborted ? 'stopped' : worstOf(reports.map(exitOf))])
      })
    })
}

async function count(
  cluster: Cluster,
  resource: Parameters<typeof observeEvidence>[1],
  { names }: Flags,
  signal: AbortSignal,
): Promise<CensusReport> {
  const evidence = await observeEvidence(cluster, resource, signal, { maxObjects: names })
  const report = { resource: groupResourceText(resource), ...evidence }
  return evidence.census ? report : { ...report, hints: await observeHints(cluster.client, resource, signal) }
}

/** What was found out in another way is no count. */
function exitOf({ verdict, census }: CensusReport): ExitWord {
  if (verdict === 'not seen') return 'notSeen'
  return census === undefined && verdict !== 'disagreed' ? 'unknown' : verdictExits[verdict]
}

function parseNames(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > maxCensusObjects) {
    throw new InvalidArgumentError(`give a whole number, 0 to ${maxCensusObjects}.`)
  }
  return Number(text)
}

const help = `
Run it to see what is left of an old version or an old key, and which objects those are. It writes nothing.

Strata's servers read the store themselves (StorageCensus in strata.dev/v1alpha1): the numbers are exact, as of one revision. If the
agreement stood, fenced, from the first object to the last, then what is stale was counted for good: proven.
A resource whose CRD is deleted is named in full. If nothing is stored of it, its record forgets its versions and keys.

On other clusters no client can read the store. Then this says what may be stored, by the definition, StorageVersion and StorageState,
and ends with 6: unknown. "strata verify --write" finds out by writing. What could not be asked is called not seen, and ends with 5.

${exitCodesHelp}

Examples:
  $ strata census lamps.light.example.dev
  $ strata census --all
  $ strata census secrets --names 100 -o json | jq '.resources[].census.objects[]'`
