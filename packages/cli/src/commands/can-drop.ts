import { groupResourceText } from '@strata/api'
import { type Command, Option } from 'commander'
import type { ClusterFlags } from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { decideCanDrop } from '../inspect/decide-can-drop.ts'
import { inspect } from '../inspect/inspect-cluster.ts'
import { reportCanDrop } from '../inspect/report-can-drop.ts'
import type { ResourceFacts } from '../inspect/resource-facts.ts'
import { versionsOf } from '../inspect/versions-of.ts'
import { requireOneStore } from '../options/one-store.ts'
import { addStoreSource, type StoreSourceFlags, storeSource } from '../options/store-source.ts'
import { CliError } from '../output/errors.ts'
import { type Acceptance, acceptances, acceptedExit, exitCodes } from '../output/exit-codes.ts'
import type { OutputFlags } from '../output/print-report.ts'
import type { StoreSource } from '../stored/observe-store.ts'
import { addClusterOptions, addContextsOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags, ContextsFlags, StoreSourceFlags, OutputFlags {
  readonly accept: Acceptance
}

export function addCanDrop(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('can-drop')
    .argument(
      '<resource>',
      'one resource, by any name that kubectl accepts, e.g. lamps.light.example.dev; or with its version: lamps.light.example.dev/v1',
    )
    .argument('[version]', 'the version, e.g. v1')
    .description(
      'Can this version be removed? One answer: yes, no and what blocks it, or what could not be seen.',
    )
  addStoreSource(addContextsOptions(addClusterOptions(command)))
    .addOption(
      new Option('--accept <verdict>', 'weakest answer that ends with exit code 0 (see below)')
        .choices(acceptances)
        .default('proven'),
    )
    .addHelpText('after', help)
    .action(async (resource: string, given: string | undefined, flags: Flags) => {
      const question = readQuestion(resource, given)
      const source = storeSource(flags)
      requireOneStore(source, flags)
      const look = (each: Flags, at: CliContext) => answerOne(question, source, each, at)
      done(await reportClusters('can-drop', flags, context, exitCodes.notSeen, look))
    })
}

async function answerOne(
  { name, version }: Question,
  source: StoreSource | undefined,
  flags: Flags,
  context: CliContext,
): Promise<Outcome> {
  const reached = { ...flags, server: [], samples: 1 }
  const options = { names: [name], source, offline: flags.offline }
  const { facts, notSeen } = await inspect(options, reached, context)
  const [found] = facts
  if (!found)
    throw new CliError(`${name}: ${notSeen[0]?.because ?? 'it could not be read'}`, exitCodes.notSeen)
  checkVersion(version, found)
  const answer = decideCanDrop(version, found)
  return { report: reportCanDrop(version, found, answer), exit: acceptedExit(answer.exit, flags.accept) }
}

interface Question {
  readonly name: string
  readonly version: string
}

function readQuestion(resource: string, given: string | undefined): Question {
  const [name = '', inName] = resource.split('/')
  const version = given ?? inName
  if (version === undefined || version === '' || (given !== undefined && inName !== undefined)) {
    throw new CliError(
      `${resource}: name one version, for example "strata can-drop ${name} v1"`,
      exitCodes.usage,
    )
  }
  return { name, version }
}

/** A version that nothing names is mistyped, or already gone. */
function checkVersion(version: string, facts: ResourceFacts): void {
  const known = versionsOf(facts)
  if (known.includes(version)) return
  const text = `${groupResourceText(facts)} has no version ${version}: it is neither defined, served nor stored (there are ${known.join(', ')})`
  throw new CliError(text, exitCodes.notSeen)
}

const help = `
It writes nothing. "No" names everything that blocks the removal: the version is written, status.storedVersions lists it, objects
are stored in it, it is the only one that is served, its conversion webhook does not answer, managedFields, Helm releases,
applied manifests or admission rules name it.

  proven          Strata's servers have counted, and guard every write
  observed clean  the stored bytes were read (--etcd-servers, or an --etcd-snapshot since which the CRD has not changed), or
                  a migration found nothing left; but a server may still store the old version
  unknown         something could not be seen

Exit codes:
  0    yes, as well founded as --accept asks for (proven by default)
  1    no
  2    a flag or argument is invalid; or the store is of another cluster
  3    yes, observed clean, and --accept asks for a proof
  5    the cluster or the store could not be read; or it has no such resource or version
  6    could not see
  130  stopped by Ctrl-C

Examples:
  $ strata can-drop lamps.light.example.dev v1
  $ strata can-drop lamps.light.example.dev/v1 --etcd-snapshot backup.db --accept observed-clean
  $ strata can-drop lamps.light.example.dev v1 --all-contexts
  $ strata can-drop lamps v1 -o json | jq '.blockers[].text'`
