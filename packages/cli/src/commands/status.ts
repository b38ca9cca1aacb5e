import { createReachability, isNotFound } from '@strata/client'
import {
  describeFleet,
  type FleetFacts,
  type FleetStatus,
  mayBeUnseen,
  type Question,
  unknownResources,
} from '@strata/insight'
import { deadline } from '@strata/world'
import { type Command, Option } from 'commander'
import {
  askAnyServer,
  type ClusterConnection,
  type ClusterFlags,
  connectCluster,
  fleetContexts,
} from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { observeAggregated } from '../migration/aggregated/observe-aggregated.ts'
import { observeTrigger } from '../migration/evidence/observe-trigger.ts'
import { nameInFull } from '../migration/resources/choose-resources.ts'
import { durationOption, parseWhole } from '../options/duration.ts'
import { CliError, explain } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { isForReaders, type OutputFlags } from '../output/print-report.ts'
import { followFleet, type Pace, pipePace, screenPace } from '../status/follow-fleet.ts'
import { observeFleet } from '../status/observe-fleet.ts'
import type { RenderOptions } from '../status/render-status.ts'
import { reportStatus } from '../status/report-status.ts'
import {
  createDocumentView,
  createLineView,
  createScreenView,
  type StatusView,
} from '../status/status-view.ts'
import { addClusterOptions, addContextsOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags, ContextsFlags, OutputFlags {
  readonly all: boolean
  readonly watch: boolean
  readonly untilAgreed: boolean
  readonly timeout: number
  readonly expectedServers: number
}

/** Not 1: a script must not take an invalid flag for a disagreement. */
const notSeen = 2

export function addStatus(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  addContextsOptions(addClusterOptions(program.command('status')))
    .argument(
      '[resource...]',
      'only these resources, by any name that kubectl accepts, e.g. beacons.lighthouse.example.dev configmaps',
    )
    .description('Show which versions each server writes and reads, and whether the servers agree.')
    .option('-A, --all', 'show every resource, also those that need no attention', false)
    .option('-w, --watch', 'show changes until Ctrl-C', false)
    .option('--until-agreed', 'wait until all servers agree', false)
    .addOption(durationOption('--timeout <duration>', 'with --until-agreed: how long to wait', 300_000, '5m'))
    .addOption(
      new Option(
        '--expected-servers <n>',
        'report no agreement while fewer servers than this are there; with --until-agreed, silent servers do not count',
      )
        .argParser(parseWhole)
        .default(0, 'any number'),
    )
    .addHelpText('after', help)
    .action(async (resources: string[], flags: Flags, command: Command) => {
      if (command.getOptionValueSource('timeout') === 'cli' && !flags.untilAgreed)
        throw new CliError('--timeout needs --until-agreed: give both', exitCodes.usage)
      const isStream = isForReaders(flags.output) || flags.output === 'json' || flags.output === 'yaml'
      if ((flags.watch || flags.untilAgreed) && !isStream) {
        const follower = flags.watch ? '--watch' : '--until-agreed'
        throw new CliError(`${follower} cannot print ${flags.output}: use table, wide, json or yaml`, notSeen)
      }
      const { expectedServers, untilAgreed: isWaiting } = flags
      const follows = flags.watch || flags.untilAgreed
      const byInstance = follows && printsLines(flags, context)
      const question = { resources, expectedServers, isWaiting, byInstance }
      if (follows && (flags.allContexts || flags.contexts))
        throw new CliError('--watch and --until-agreed follow one cluster: give its --context', notSeen)
      const look = (each: Flags, at: CliContext) => lookOnce(question, each, at)
      done(
        await (follows
          ? follow(question, flags, context)
          : reportClusters('status', flags, context, notSeen, look)),
      )
    })
}

const help = `
By default a resource has a row only if it needs attention: there is no agreement, a vote is under way, a server refuses
writes, or a server does not serve it because it cannot decode a stored object. --all and -o json show every resource.
docs/status.md lists the fields of -o json and -o yaml.

--watch redraws on a terminal. On a pipe it prints one line per change; with -o json, the whole status on one line per
change. When a server does not answer, the next one of the kubeconfig is asked.

Exit codes:
  0  all servers agree on every resource (or on those named), every server can read what is written, and none refuses
     writes or a whole resource; or Ctrl-C ended --watch
  1  the servers do not agree, or not within --timeout; no server has a Lease; or no server serves a named resource any
     more. With --until-agreed also: a named resource still has no agreement record
  2  the cluster could not be read, or a flag is invalid. Without --until-agreed also: a named resource has no agreement
     record, or its aggregated servers do not answer

Resources that aggregated servers store have a section for each group. Their records are read through the proxy, from the
servers that have them. They count for the exit code only if you name them.

Examples:
  $ strata status
  $ strata status --all -o wide
  $ strata status beacons configmaps --context strata-2
  $ strata status --watch
  $ strata status -o json | jq '.resources[] | select(.agreed | not)'

  # Between two steps of an upgrade, if the servers vote: waits until the restarted server is back.
  $ strata status --until-agreed --expected-servers 3 --timeout 10m && upgrade next

  # At the end of an upgrade, if the servers report: until then they disagree.
  $ strata status --until-agreed --expected-servers 3 --timeout 10m`

async function lookOnce(asked: Question, flags: Flags, context: CliContext): Promise<Outcome> {
  const connection = await connect(flags, context)
  try {
    const question = await resolveNames(asked, connection, context)
    const facts = await observe(connection, question, context)
    // With resources named, only those are shown.
    const isAll = question.resources.length === 0
    const trigger = isAll ? await observeBeside(connection, context) : undefined
    const status = describeFleet({ ...facts, trigger }, context.world.clock.wallMs(), question)
    const report = reportStatus(status, optionsOf(question, flags))
    if (status.agreed) return { report, exit: 0 }
    // Named resources whose servers do not answer: neither agreed nor disagreed.
    const isUnseen = !isAll && status.aggregated?.some((each) => each.unseen !== undefined)
    return { report, exit: isUnseen ? notSeen : 1 }
  } finally {
    connection.close()
  }
}

/** Shows changes until Ctrl-C, or until the servers agree (--until-agreed). */
async function follow(asked: Question, flags: Flags, context: CliContext): Promise<number> {
  const { world } = context
  const sight = createReachability(world.clock)
  const connection = await connect(flags, context, sight.wrap)
  const view = viewOf(asked, flags, context)
  // --watch has no deadline.
  const limit = flags.untilAgreed ? deadline(world.clock, flags.timeout, context.signal) : undefined
  let last: FleetStatus | undefined
  try {
    let question = await resolveNames(asked, connection, context)
    // --until-agreed also waits for a record, which the first server that serves the resource creates.
    const known = flags.untilAgreed ? { ...question, resources: [] } : question
    const facts = await observe(connection, known, context).catch((error: unknown) => {
      if (!context.signal.aborted) throw error
      return undefined
    })
    if (!facts) return flags.untilAgreed ? 1 : 0
    // An agreement that holds already is reported at once, however short --timeout is.
    last = describeFleet(facts, world.clock.wallMs(), question)
    if (flags.untilAgreed && last.agreed) {
      view.show(last)
      return 0
    }
    const looking = {
      client: connection.client,
      world,
      facts,
      unseen: sight.unseen,
      pace: paceOf(flags, context),
    }
    for await (const seen of followFleet(looking, limit?.signal ?? context.signal)) {
      // A server that has just started may serve the resource, and so know its full name.
      if (unknownResources(question.resources, seen).length > 0) {
        question = await resolveNames(asked, connection, context).catch(() => question)
      }
      last = describeFleet(seen, world.clock.wallMs(), question)
      view.show(last)
      if (flags.untilAgreed && last.agreed) return 0
    }
  } finally {
    view.end()
    limit?.dispose()
    connection.close()
  }
  return flags.untilAgreed ? notAgreedInTime(last, context) : 0
}

function notAgreedInTime(last: FleetStatus | undefined, { signal }: CliContext): number {
  const why = signal.aborted ? 'stopped' : 'timed out'
  if (last?.unseen)
    throw new CliError(`${why} before the agreement could be read: ${last.unseen.because}`, notSeen)
  const [missing] = last?.problems ?? []
  const what = missing === undefined ? '"strata status" shows what is missing' : missing
  throw new CliError(`${why} before all servers agreed; ${what}`)
}

async function connect(
  flags: Flags,
  context: CliContext,
  wrap?: Parameters<typeof connectCluster>[3],
): Promise<ClusterConnection> {
  try {
    const contexts = await fleetContexts(flags, context)
    return await connectCluster({ ...flags, ...contexts }, context, 'strata-status', wrap)
  } catch (error) {
    throw unseen(error)
  }
}

/** Records are named by the plural. Discovery translates other names: singular, short names, kinds. */
async function resolveNames(
  asked: Question,
  connection: ClusterConnection,
  context: CliContext,
): Promise<Question> {
  if (asked.resources.length === 0) return asked
  try {
    const { resources: served } = await askAnyServer(connection, context, (client, signal) =>
      client.discover(signal),
    )
    return { ...asked, resources: asked.resources.map((name) => nameInFull(name, served)) }
  } catch (error) {
    // After Ctrl-C the caller ends by itself.
    if (context.signal.aborted) return asked
    throw unseen(explain('could not read what is served', error, notSeen))
  }
}

async function observe(
  connection: ClusterConnection,
  { resources }: Question,
  context: CliContext,
): Promise<FleetFacts> {
  try {
    const fleet = await askAnyServer(connection, context, observeFleet)
    const { world, signal } = context
    const facts = { ...fleet, aggregated: await observeAggregated(connection.client, world.clock, signal) }
    const unknown = unknownResources(resources, facts)
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ')
      const [unseenName] = unknown.flatMap((name) => mayBeUnseen(name, facts.aggregated) ?? [])
      if (unseenName !== undefined)
        throw new CliError(`no agreement record of ${names} in sight: ${unseenName}`, notSeen)
      // Unknown is not absent: an aggregated server may have the record.
      throw new CliError(
        facts.aggregated === undefined
          ? `no agreement record of ${names} in this fleet, and discovery did not say in time what aggregated servers have: try again`
          : `no agreement record of ${names}: "strata status --all" lists what there is`,
        notSeen,
      )
    }
    return facts
  } catch (error) {
    if (isNotFound(error)) {
      throw new CliError(
        'this cluster keeps no agreement records: its servers are not Strata\'s, or strata.dev/v1alpha1 is off. "strata inspect" shows what is stored there, "strata verify --all" how well that is known; "strata check --to 1.x" says whether another release of Kubernetes can read it',
        notSeen,
        { cause: error },
      )
    }
    throw unseen(explain('could not read the agreement records', error, notSeen))
  }
}

async function observeBeside({ client }: ClusterConnection, { world, signal }: CliContext) {
  try {
    return await observeTrigger(client, world.clock, signal)
  } catch (error) {
    throw unseen(error)
  }
}

function unseen(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(message, notSeen, { cause: error })
}

/** Named resources are always shown. */
function optionsOf({ resources }: Question, { all, output }: Flags): RenderOptions {
  return { all: all || resources.length > 0, wide: output === 'wide', named: resources.length > 0 }
}

const isOnScreen = ({ output, watch }: Flags, { screen }: CliContext): boolean =>
  watch && screen !== undefined && isForReaders(output)

/** One line per change. */
const printsLines = (flags: Flags, context: CliContext): boolean =>
  isForReaders(flags.output) && !isOnScreen(flags, context)

function paceOf(flags: Flags, context: CliContext): Pace {
  return isOnScreen(flags, context) ? screenPace : pipePace
}

function viewOf(question: Question, flags: Flags, context: CliContext): StatusView {
  const { screen, print } = context
  const { output } = flags
  if (output === 'json' || output === 'yaml') return createDocumentView(output, print)
  return screen && isOnScreen(flags, context)
    ? createScreenView(screen, print, optionsOf(question, flags))
    : createLineView(print)
}
