import { readFile } from 'node:fs/promises'
import { ApiError } from '@strata/api'
import { isInvalid } from '@strata/client'
import { deadline } from '@strata/world'
import type { Command } from 'commander'
import {
  type DeclaredResource,
  mergeDeclared,
  parseDeclared,
  readDeclaredFile,
} from '../check/declared-resources.ts'
import { checkExits, exitOfVerdict } from '../check/exits.ts'
import { type CheckAnswer, type CheckQuestion, observeUpgrade } from '../check/observe-upgrade.ts'
import { narrow, renderCheck } from '../check/render-check.ts'
import { unknownReleaseText } from '../check/unknown-release.ts'
import {
  type ClusterFlags,
  connectCluster,
  fleetContexts,
  turnToAnswering,
} from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import { nameInFull } from '../migration/resources/choose-resources.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { collect } from '../options/duration.ts'
import { printDocument } from '../output/document.ts'
import { CliError, explain } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { addClusterOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags {
  readonly to: string
  readonly decodable: readonly string[]
  readonly decodableFile?: string
  readonly resources: readonly string[]
  readonly all: boolean
  readonly output: 'table' | 'json' | 'yaml'
}

const observeMs = 60_000

export function addCheck(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('check')
    .argument(
      '[resource...]',
      'answer for these only, e.g. beacons.lighthouse.example.dev configmaps, or as kubectl shows them',
    )
    .description('Ask before an upgrade or a rollback: can that release read all that is stored?')
    .requiredOption('--to <release>', 'the release that is to be started')
    .option(
      '--decodable <resource=versions>',
      'what it can read of one resource, where the cluster does not know it: deployments.apps=v1,v1beta2; may be repeated',
      collect,
      [],
    )
    .option('--decodable-file <file>', 'the same as a mapping in YAML or JSON: "deployments.apps: [v1]"')
    .option(
      '--resources <module>',
      'kinds of your own as the target has them; may be repeated. The releases in them are known then, whatever runs',
      collect,
      [],
    )
    .option('-A, --all', 'a row for every resource, also for those that are safe', false)
  addClusterOptions(command)
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      const question = await readQuestion(flags)
      const { seen, inFull } = await observe(question, names, flags, context)
      const answer = narrow(seen, inFull)
      context.print(print(answer, flags, names))
      done(exitOfVerdict[answer.verdict])
    })
}

const help = `
Run it before you start another release, and start that one only if it ends with 0. Everything that was ever stored is looked at; if resources
are named, the answer is about those only.

A Strata server is asked (UpgradeReview in strata.dev/v1alpha1): it knows what may be stored from the agreement records, and looks at every
object where they do not say. What the release reads is known in one of these ways:
  - it is a release that the kinds of the server know, or one that a server of the fleet is of ("strata status" shows which)
  - it is that of this very program: run the "strata check" of the program that is to be started
  - --resources names modules with your own kinds, and it is a release of those
  - --decodable or --decodable-file say it. What they do not name could not be seen, except custom resources, which every release reads
    as their definitions say

On other clusters this looks at what can be seen: the storedVersions of definitions, StorageStates, and StorageVersions. What built-in
resources are stored in cannot be seen there without a StorageState, and what a release reads has to be said with --decodable.

Exit codes:
  0    safe: the release can read all that is stored (of the resources named, if any are)
  1    unsafe: it cannot read some of what may be stored
  2    mistyped; nothing was asked
  5    the cluster could not be asked: no answer, no rights
  6    could not see: the cluster has answered, and it cannot be told from that. That is no yes
  130  stopped by Ctrl-C

Examples:
  $ strata check --to x+3
  $ strata check --to x+3 beacons.lighthouse.example.dev -o json | jq '.resources[].missing'
  $ strata check --to 0.2.0          # with the program of 0.2.0: only that one knows what it reads
  $ strata check --to x+3 --resources lighthouse.ts
  $ strata check --to 1.38 deployments.apps --decodable deployments.apps=v1
  $ strata check --to 1.38 --decodable-file decodable-1.38.yaml && upgrade`

/** By flags; else by the kinds of this program, if the release is one of theirs; else by whoever is asked. */
async function readQuestion(flags: Flags): Promise<CheckQuestion> {
  const { to: release, resources } = flags
  const declared = await readTold(flags)
  const { isOwnRelease, listOwnKinds } = await import('../check/own-kinds.ts')
  if (resources.length === 0 && (declared.length > 0 || !isOwnRelease(release))) {
    return { release, declared, ownKinds: [] }
  }
  return { release, declared, ownKinds: await listOwnKinds(resources, release) }
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
    const connection = await connectCluster({ ...flags, context: contexts }, context, 'strata-check')
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

function print(answer: CheckAnswer, { to, all, output }: Flags, names: readonly string[]): string {
  if (output === 'table') return renderCheck(answer, to, { all, isNarrowed: names.length > 0 })
  return printDocument({ release: to, ...answer }, output)
}
