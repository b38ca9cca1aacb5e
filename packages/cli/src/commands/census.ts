import { groupResourceText, maxCensusObjects } from '@strata/api'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { verdictExits } from '../migration/evidence/decide-evidence.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import { type CensusReport, reportCensus } from '../migration/report/render-census.ts'
import {
  type Cluster,
  type MigrationFlags,
  storedResourcesOf,
  withCluster,
} from '../migration/resources/cluster.ts'
import { askEach } from '../migration/resources/each-resource.ts'
import { observeHints } from '../migration/resources/stored-hints.ts'
import { type ExitWord, exitCodes, exitCodesHelp, nothingServed, worstOf } from '../output/exit-codes.ts'
import type { OutputFlags } from '../output/print-report.ts'
import { addClusterOptions, addContextsOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags, ContextsFlags, OutputFlags {
  readonly all: boolean
  readonly names: number
}

export function addCensus(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('census')
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts, e.g. lamps.light.example.dev secrets',
    )
    .description('Count the stored objects by version and encryption key, and those that cannot be read.')
    .option('-A, --all', 'every resource that can be migrated', false)
  addContextsOptions(addClusterOptions(command))
    .addOption(
      new Option('--names <n>', 'how many stale or unreadable objects to list by name')
        .argParser(parseNames)
        .default(10),
    )
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      const asked = { ...flags, server: [], samples: 1 }
      const look = (each: Flags, at: CliContext) => takeCensus(names, each, at)
      done(await reportClusters('census', asked, context, exitCodes.notSeen, look))
    })
}

function takeCensus(names: readonly string[], flags: Flags, context: CliContext): Promise<Outcome> {
  return withCluster(flags, context, async (cluster) => {
    const resources = await storedResourcesOf(cluster, names, flags.all, context.signal)
    const reports = await askEach(resources, context, (each, look) =>
      look((signal) => count(cluster, each, flags, signal)),
    )
    if (reports.length === 0) context.warn?.(nothingServed)
    return {
      report: reportCensus(reports, !flags.all),
      exit: exitCodes[context.signal.aborted ? 'stopped' : worstOf(reports.map(exitOf))],
    }
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

/** Without a census nothing was counted: unknown, even if the hints look clean. */
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
Shows which objects are still stored in an old version or under an old key. It writes nothing.

Strata's servers read the store (StorageCensus in strata.dev/v1alpha1), so the numbers are exact, as of one revision. The
result is proven if every server guarded its writes, and the agreement did not change, from the first object to the last.
For a resource whose CRD is deleted, give the full name. If none of its objects is stored, the census removes its
versions and keys from its agreement record.

On other clusters no client can read the store. There the answer comes from the CRD, StorageVersion and StorageState, and
the exit code is 6: unknown. "strata migrate" finds out by writing. A resource whose server does not answer is
"not seen": exit code 5.

${exitCodesHelp}

Examples:
  $ strata census lamps.light.example.dev
  $ strata census --all
  $ strata census secrets --names 100 -o json | jq '.resources[].census.objects[]'`
