import { createSimRandom } from '@strata/world/sim'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { checkRound, type RoundVerdict } from './check-round.ts'
import type { HeardObject, Watcher } from './checkers/watched.ts'
import { History } from './clients/history.ts'
import { KeyClients } from './clients/key-clients.ts'
import { shownIn, WatchClient } from './clients/watch-client.ts'
import type { RestingObjects } from './resting-objects.ts'
import { runLane } from './run-lane.ts'
import type { RoundPlan } from './schedule.ts'
import { serverNames } from './stage/network.ts'
import type { Stage } from './stage/stage.ts'
import { TargetLocks } from './target-locks.ts'

export interface RoundOptions {
  readonly stage: Stage
  readonly plan: RoundPlan
  readonly seed: string
  readonly signal: AbortSignal
  readonly log: (text: string) => void
  /** The state that earlier rounds left behind. */
  readonly resting: RestingObjects
}

export interface RoundReport extends RoundVerdict {
  readonly faults: Readonly<Record<string, number>>
  readonly operations: number
  readonly acknowledged: number
  readonly unknown: number
  readonly refused: number
  readonly events: number
  readonly resumed: number
  readonly relisted: number
  readonly keys: number
}

const clientCount = 8
const keyCount = 10
const patienceMs = 120_000

/** Clients at work, faults among them, then peace, and a look at everything that was said. */
export async function runRound({
  stage,
  plan,
  seed,
  signal,
  log,
  resting,
}: RoundOptions): Promise<RoundReport> {
  const random = createSimRandom(`${seed}/clients/${plan.round}`)
  const history = new History()
  const keys = Array.from({ length: keyCount }, (_, index) => `r${plan.round}-k${index}`)
  const faults: Record<string, number> = {}
  const servers = stage.transports
  const watchers = (['v1', 'v2', 'v1'] as const).map(
    (version, index) => new WatchClient({ name: `watcher-${index}`, history, servers, random, version }),
  )
  const clients = new KeyClients({
    ...{ history, servers, keys, random },
    ...{ clients: clientCount, pauseMs: 40 },
  })
  const problems: string[] = []
  let settled: Settled | undefined
  try {
    const locks = new TargetLocks()
    const context = { stage, history, watchers, keys }
    const onBegin = (kind: string): void => {
      faults[kind] = (faults[kind] ?? 0) + 1
    }
    const lanes = plan.lanes.map((lane) => runLane(lane, { context, locks, signal, onBegin, log }))
    const failed = (await Promise.allSettled(lanes)).filter((each) => each.status === 'rejected')
    problems.push(...failed.map(({ reason }) => `a fault could not be made or ended: ${String(reason)}`))
    // Ctrl-C ends the servers too: nothing more can be said.
    signal.throwIfAborted()
    await stage.untilWhole(patienceMs)
    await clients.untilMore(20, { giveUpMs: patienceMs })
    await clients.stop()
    settled = await settle(stage, history, keys, watchers, `r${plan.round}-end`)
    problems.push(...resting.check(settled.final))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await clients.stop()
    await Promise.all(watchers.map((watcher) => watcher.stop()))
  }
  if (settled && problems.length === 0) await resting.keep(stage.transports[0], settled.final)
  const verdict = checkRound({
    ...{ operations: history.operations, unexpected: [...problems, ...history.unexpected] },
    watchers: watchers.map((watcher) => (settled ? heardUntil(watcher, settled.revision) : watcher)),
    final: settled?.final,
  })
  const sum = (name: keyof WatchClient['counts']): number =>
    watchers.reduce((total, { counts }) => total + counts[name], 0)
  return {
    ...verdict,
    ...{ faults, keys: keys.length, operations: history.operations.length },
    ...{ acknowledged: history.counts.acknowledged, unknown: history.counts.unknown },
    ...{ refused: history.counts.refused, events: sum('events') },
    ...{ resumed: sum('resumes'), relisted: sum('expired') },
  }
}

interface Settled {
  /** The revision of the last write. */
  readonly revision: number
  readonly final: ReadonlyMap<string, HeardObject>
}

/** A write of unknown outcome may still arrive after the last one; it is not judged any more. */
function heardUntil({ name, heard }: WatchClient, revision: number): Watcher {
  const last = heard.findIndex((each) => 'key' in each && each.at === revision)
  return { name, heard: heard.slice(0, last + 1) }
}

/** One last write reaches every watcher; then every server shows the same, and that is what all clients have to agree with. */
async function settle(
  stage: Stage,
  history: History,
  keys: readonly string[],
  watchers: readonly WatchClient[],
  endKey: string,
): Promise<Settled> {
  const [first] = stage.transports
  const revision = await until('the last write of the round is acknowledged', async () => {
    const created = await ask(first, 'POST', beaconPath('v1'), beacon('v1', endKey, 5)).catch(() => undefined)
    if (created?.status !== 201 && created?.status !== 409) return 0
    const { status, body } = await ask(first, 'GET', beaconPath('v1', endKey))
    return status === 200 ? Number(body.metadata.resourceVersion) : 0
  })
  await Promise.all(watchers.map((watcher) => watcher.untilHeard(endKey, revision, patienceMs)))
  let shown: Map<string, HeardObject> | undefined
  for (const name of serverNames) {
    const call = history.call()
    const { status, body } = await ask(stage.transport(name), 'GET', beaconPath('v1'))
    if (status !== 200) throw new Error(`${name} cannot list in the end: ${status} ${JSON.stringify(body)}`)
    shown = new Map(
      body.items.map((item: Parameters<typeof shownIn>[0]) => [item.metadata.name, shownIn(item)]),
    )
    // The list is a read of every key at one moment.
    for (const key of keys) {
      const item = shown.get(key)
      const outcome = item
        ? ({ is: 'seen', colour: item.colour, revision: item.at } as const)
        : ({ is: 'absent' } as const)
      history.add(`list of ${name}`, key, { do: 'read' }, outcome, call)
    }
  }
  return { revision, final: shown ?? new Map() }
}
