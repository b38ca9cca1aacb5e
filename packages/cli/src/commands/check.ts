import { readFile } from 'node:fs/promises'
import { ApiError } from '@strata/api'
import { isInvalid } from '@strata/client'
import type { DeclaredResource } from '@strata/insight'
import { deadline } from '@strata/world'
import type { Command } from 'commander'
import { mergeDeclared, parseDeclared, readDeclaredFile } from '../check/declared-resources.ts'
import { checkExits, exitOfVerdict } from '../check/exits.ts'
import { type CheckAnswer, type CheckQuestion, observeUpgrade } from '../check/observe-upgrade.ts'
import { narrow, reportCheck } from '../check/render-check.ts'
import { unknownReleaseText } from '../check/unknown-release.ts'
import {
  type ClusterFlags,
  connectCluster,
  fleetContexts,
  turnToAnswering,
} from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { nameInFull } from '../migration/resources/choose-resources.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { collect } from '../options/duration.ts'
import { CliError, explain } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { OutputFlags } from '../output/print-report.ts'
import { addClusterOptions, addContextsOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags, ContextsFlags, OutputFlags {
  readonly to: string
  readonly decodable: readonly string[]
  readonly decodableFile?: string
  readonly resources: readonly string[]
  readonly bornAt?: string
  readonly all: boolean
}

const observeMs = 60_000

export function addCheck(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('check')
    .argument(
      '[resource...]',
      'only these resources, by any name that kubectl accepts, e.g. beacons.lighthouse.example.dev configmaps',
    )
    .description('Before an upgrade or a rollback: can that release read everything that is stored?')
    .requiredOption('--to <release>', 'the release that you want to start')
    .option(
      '--decodable <resource=versions>',
      'versions of one resource that the release can read, if the cluster does not know them: deployments.apps=v1,v1beta2; may be repeated',
      collect,
      [],
    )
    .option('--decodable-file <file>', 'the same as a YAML or JSON mapping: "deployments.apps: [v1]"')
    .option(
      '--resources <module>',
      'module with the kinds of your own as the target release has them; may be repeated',
      collect,
      [],
    )
    .option(
      '--born-at <release>',
      'on Kubernetes: the oldest release that may have written what is still stored. The first one of the cluster, or the one at which everything was last migrated',
    )
    .option('-A, --all', 'show every resource, also those that are safe', false)
  addContextsOptions(addClusterOptions(command))
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      const question = await readQuestion(flags)
      const form = { all: flags.all, isNarrowed: names.length > 0 }
      const look = async (each: Flags, at: CliContext): Promise<Outcome> => {
        const { seen, inFull } = await observe(question, names, each, at)
        const answer = narrow(seen, inFull)
        return { report: reportCheck(answer, flags.to, form), exit: exitOf(answer) }
      }
      done(await reportClusters('check', flags, context, checkExits.notSeen, look))
    })
}

const help = `
Run it before you start another release. Start that release only if the exit code is 0. Without arguments it looks at
everything that was ever stored; with arguments, at those resources.

A Strata server answers (UpgradeReview in strata.dev/v1alpha1). The agreement records tell it what may be stored; where they
do not, it reads every object. What the release can read is known if one of these holds:
  - the kinds of the server know the release, or a server of the fleet runs it ("strata status" shows which)
  - it is the release of this program: run the "strata check" of the program that you want to start
  - it is a release of the kinds in --resources
  - --decodable or --decodable-file say so. A resource that they do not name is unknown, except custom resources: every
    release reads the versions in their CRDs

On other clusters, --to 1.37 asks about the way to that release of Kubernetes, one minor release at a time, and back. What each
release from 1.19 to 1.37 serves, stores and reads is known, with default feature gates, --runtime-config and emulation version.
What may be stored follows from the release of the servers, from CRDs and StorageStates, and from --born-at. For any other
name --decodable has to say what the release reads.

Exit codes:
  0    safe: the release can read everything that is stored (of the named resources, if there are any)
  1    unsafe: it cannot read some of what may be stored
  2    a flag or argument is invalid; nothing was asked
  5    the cluster could not be asked: no answer, or no permission; or it has no resource of that name
  6    unknown: the cluster answered, but the answer is not enough. Treat it as unsafe
  7    unknown, because this strata does not know that release of Kubernetes, or the one that the cluster runs
  130  stopped by Ctrl-C

Examples:
  $ strata check --to x+3
  $ strata check --to x+3 beacons.lighthouse.example.dev -o json | jq '.resources[].missing'
  $ strata check --to 0.2.0          # use the strata of release 0.2.0
  $ strata check --to x+3 --resources lighthouse.ts
  $ strata check --to 1.37                    # a Kubernetes cluster: go there, and come back?
  $ strata check --to 1.36 --born-at 1.24     # it was born at 1.24
  $ strata check --to 1.38 deployments.apps --decodable deployments.apps=v1
  $ strata check --to 1.38 --decodable-file decodable-1.38.yaml && upgrade`

/** A release that is not in the table has its own code, so that a script can ask for a newer strata. */
function exitOf({ verdict, kubernetes }: CheckAnswer): number {
  const isUnknown = verdict === 'CouldNotSee' && kubernetes?.unknownRelease !== undefined
  return isUnknown ? checkExits.unknownRelease : exitOfVerdict[verdict]
}

/** What the release reads comes from flags; else from the kinds of this program, if it is their release; else from the server. */
async function readQuestion(flags: Flags): Promise<CheckQuestion> {
  const { to: release, resources, bornAt } = flags
  const declared = await readTold(flags)
  const { isOwnRelease, listOwnKinds } = await import('../check/own-kinds.ts')
  if (resources.length === 0 && (declared.length > 0 || !isOwnRelease(release))) {
    return { release, declared, ownKinds: [], bornAt }
  }
  return { release, declared, ownKinds: await listOwnKinds(resources, release), bornAt }
}

async function readTold({ decodable, decodableFile }: Flags): Promise<DeclaredResource[]> {
  const fromFile =
    decodableFile === undefined ? [] : readDeclaredFile(decodableFile, await readText(decodableFile))
  return mergeDeclared([...fromFile, ...decodable.map(parseDeclared)])
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CliError(`--decodable-file ${path}: ${why}`, checkExits.usage, { cause: error })
  }
}

async function observe(
  question: CheckQuestion,
  names: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<{ readonly seen: CheckAnswer; readonly inFull: readonly string[] }> {
  const { world, signal } = context
  const limit = deadline(world.clock, observeMs, signal)
  try {
    const contexts = await fleetContexts(flags, context)
    const connection = await connectCluster({ ...flags, ...contexts }, context, 'strata-check')
    try {
      await turnToAnswering(connection, context)
      const { client } = connection
      const seen = await observeUpgrade(client, question, world.clock.wallMs(), limit.signal)
      if (names.length === 0) return { seen, inFull: names }
      const { resources: served } = await client.discover(limit.signal)
      return { seen, inFull: names.map((name) => nameInFull(name, served)) }
    } finally {
      connection.close()
    }
  } catch (error) {
    if (signal.aborted) throw new CliError('it was stopped', exitCodes.stopped, { cause: error })
    // What the server calls invalid was mistyped: a release that it does not know.
    if (error instanceof ApiError && isInvalid(error)) {
      const unknown = unknownReleaseText(question.release, error.message)
      if (unknown !== undefined) throw new CliError(unknown, checkExits.usage, { cause: error })
      throw explain('could not ask what is stored', error, checkExits.usage)
    }
    throw notSeenError('could not ask what is stored', error)
  } finally {
    limit.dispose()
  }
}
