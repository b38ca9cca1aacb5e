import { groupResourceText } from '@strata/api'
import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { verdictExits } from '../migration/evidence/decide-evidence.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import { reportVerifications } from '../migration/report/render-verifications.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../migration/resources/cluster.ts'
import { askEach } from '../migration/resources/each-resource.ts'
import { givenFlags } from '../migration/resources/given-flags.ts'
import {
  type Acceptance,
  acceptances,
  acceptedExit,
  exitCodes,
  exitCodesHelp,
  nothingServed,
  worstOf,
} from '../output/exit-codes.ts'
import type { OutputFlags } from '../output/print-report.ts'
import { addClusterOptions, addContextsOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags, ContextsFlags, OutputFlags {
  readonly all: boolean
  readonly accept: Acceptance
}

export function addVerify(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('verify')
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts, e.g. lamps.light.example.dev secrets',
    )
    .description('Show whether every object is stored as the servers agree, and how that is known.')
    .option('-A, --all', 'every resource that can be migrated', false)
  addServerOptions(addContextsOptions(addClusterOptions(command)))
    .addOption(
      new Option('--accept <verdict>', 'weakest verdict that ends with exit code 0')
        .choices(acceptances)
        .default('proven'),
    )
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      const look = (each: Flags, at: CliContext) => verify(names, each, at)
      done(await reportClusters('verify', flags, context, exitCodes.notSeen, look))
    })
}

function verify(names: readonly string[], flags: Flags, context: CliContext): Promise<Outcome> {
  return withCluster(flags, context, async (cluster) => {
    const resources = resourcesOf(cluster, names, flags.all)
    const reports = await askEach(resources, context, async (each, look) => {
      const evidence = await look((signal) => observeEvidence(cluster, each, signal))
      return { resource: groupResourceText(each), ...evidence }
    })
    if (reports.length === 0) context.warn?.(nothingServed)
    const given = givenFlags({ ...flags, throughApi: false })
    const words = reports.map(({ verdict }) => (verdict === 'not seen' ? 'notSeen' : verdictExits[verdict]))
    const word = context.signal.aborted ? 'stopped' : worstOf(words)
    return {
      report: reportVerifications(reports, !flags.all, given),
      exit: reports.length === 0 ? exitCodes[word] : acceptedExit(word, flags.accept),
    }
  })
}

const help = `
Run it after a migration, and before you remove an old version or an old key. It never writes.

Verdicts:
  proven          the store was read (strata census), or everything was rewritten (strata migrate), under an agreement that
                  guards every write and still holds
  observed clean  the last pass found nothing to rewrite, and the servers still write the same version; but nothing
                  prevents a server from writing an old version later
  unknown         neither is known
  stale           an object is stored in another version or key; run "strata migrate RESOURCE"
  disagreed       the servers write different versions; "strata status" shows which
  not seen        the cluster did not answer; temporary failures are retried for a minute

The agreed version comes from the first of these that the cluster has: the agreement record; a StorageVersion; the CRD;
the storage version hash in discovery, from each --server, or from --samples connections to one address.

If the store cannot be read (on any cluster but Strata), the verdict is that of the last migration by this user on this
machine. "strata migrate RESOURCE" patches every object to find the verdict, which also rewrites the stale ones.

${exitCodesHelp}

Examples:
  $ strata verify lamps.light.example.dev
  $ strata verify lamps.light.example.dev --accept observed-clean
  $ strata verify --all -o json | jq '.resources[] | select(.verdict != "proven")'
  $ strata verify deployments.apps --server https://10.0.0.1:6443 --server https://10.0.0.2:6443`
