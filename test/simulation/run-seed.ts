import { unsettledMirror } from './aggregated/mirror-at-rest.ts'
import { OriginStory } from './aggregated/origin-story.ts'
import { checkHistory, checkSoFar, type Violation } from './checkers/index.ts'
import { endedNames, isCollected, unsettled } from './convergence.ts'
import { servedOtherwise } from './definitions-at-rest.ts'
import type { History } from './history.ts'
import { noticeRejections } from './notice-rejections.ts'
import type { Sabotage } from './sabotage.ts'
import { lagSometimes } from './world/lagging-watches.ts'
import { Nemesis } from './world/nemesis.ts'
import { Operator } from './world/operator.ts'
import { restoreSometimes } from './world/restorer.ts'
import type { Shape } from './world/shape.ts'
import { tellStory } from './world/story.ts'
import { createWorld, type World, type WorldOptions } from './world/world.ts'

export interface SeedResult {
  readonly seed: string
  readonly violations: readonly Violation[]
  readonly traceHash: string
  readonly shape: Shape
  readonly history: History
}

/** The time to settle after one Lease duration: until that is over, a killed server still counts. */
const settlingMs = 60_000
/**
 * A collector that has just begun to lead watches a name for a minute before it challenges it (rule 18). A process that has
 * answered is left alone for twice as long each time: one that ends after two answers keeps its name for four minutes.
 */
const challengeMs = 300_000
/** Where nothing collects, a later run of the same server looks for them, every ten minutes. */
const replacementMs = 700_000

/** A server asks a KMS that is well once a minute how it is, and one that is not every ten seconds. */
const pollMs = 70_000

/** How often a world with a broken rule is looked at: once it is noticed, there is nothing left to find out. */
const lookEveryMs = 10_000

/** One world from its start to its rest, and what the checkers say of it. */
export async function runSeed(options: WorldOptions): Promise<SeedResult> {
  const world = createWorld(options)
  const { history, simulation, shape } = world
  const noticed = await noticeRejections(world, () => tellAndSettle(world, options.sabotage))
  history.endMs = simulation.nowMs
  for (const origin of history.origins) origin.endMs = simulation.nowMs
  return {
    seed: options.seed,
    violations: noticed ?? checkHistory(history),
    traceHash: simulation.traceHash(),
    shape,
    history,
  }
}

/** What was noticed before the end, of a broken rule. */
async function tellAndSettle(
  world: World,
  sabotage: Sabotage | undefined,
): Promise<readonly Violation[] | undefined> {
  const { simulation, shape, fleet, disturbances, weather, network } = world
  const random = simulation.random
  const operator = new Operator({ ...world, random })
  const nemesis = new Nemesis({ ...world, random, operator })
  const behind = world.origins.map((each) => new OriginStory(each))
  const own = tellStory({ simulation, random, operator, nemesis, shape, counts: world.history.counts })
  if (behind.length > 0) world.mirrorWay.cutSometimes(shape.troubleMs)
  const story = Promise.all([own, ...behind.map((each) => each.tell())]).then(() => {})
  restoreSometimes({ ...world, isCutOff: (writer) => disturbances.isCutOff(writer) })
  lagSometimes({ ...world, troubleMs: shape.troubleMs })
  const noticed = sabotage && (await watchFor(sabotage, world, story))
  if (noticed) return noticed
  await simulation.settle(story, { untilMs: shape.troubleMs + 900_000 })

  // What is on its way arrives before anything is said of the rest.
  if (!sabotage) await simulation.run({ untilMs: Math.max(simulation.nowMs, weather.lateUntilMs) })
  simulation.trace('trouble ends')
  nemesis.end()
  for (const each of behind) each.end()
  world.mirrorWay.cut(false)
  world.stopDefiners()
  world.stopKeyKeepers()
  weather.set('clear')
  network.healAll()
  disturbances.endAll([...fleet.alive.map(({ process }) => process), ...world.controllers()])
  const patienceMs = settlingMs + (shape.keys && shape.kms ? pollMs : 0)
  const restMs = simulation.nowMs + 1.1 * 1000 * shape.leaseDurationSeconds
  // A name of a process that has ended gets its own time. What it keeps from being settled gets the usual time afterwards.
  const namesMs = (): number => restMs + (isCollected(world) ? challengeMs : replacementMs)
  let endMs = restMs + patienceMs
  let problems: readonly string[] = ['nothing has been looked at']
  while (problems.length > 0 && simulation.nowMs < endMs) {
    // Servers that crashed, or ended because their identity was taken, are started again.
    await simulation.run({ untilMs: simulation.nowMs + 2_000 })
    operator.ensureAll()
    problems = [...unsettled(world), ...behind.flatMap((each) => each.settle()), ...unsettledMirrors(world)]
    if (endedNames(world).size > 0)
      endMs = Math.max(endMs, Math.min(simulation.nowMs, namesMs()) + patienceMs)
    // A definition that was on its way may have come meanwhile, so that this is looked at again too.
    if (shape.definitions && problems.length === 0) {
      problems = await simulation.settle(servedOtherwise(world))
    }
  }
  world.history.convergence = { atMs: simulation.nowMs, problems }
  for (const { history } of world.origins) history.convergence = { atMs: simulation.nowMs, problems: [] }
  // With a broken protocol the rest may be a lie; the last operations would only blur what was found.
  world.stopClients()
  if (!sabotage) await simulation.run({ untilMs: simulation.nowMs + 20_000 })
  return undefined
}

function unsettledMirrors({ data, origins }: World): readonly string[] {
  return origins.length === 0
    ? []
    : unsettledMirror(
        data,
        origins.map((each) => each.data),
      )
}

/** Lets the story go on until its end, or until a checker finds a violation. */
async function watchFor(
  { caughtBy }: Sabotage,
  { simulation, history, shape }: World,
  story: Promise<void>,
): Promise<readonly Violation[] | undefined> {
  let isOver = false
  void story.then(() => {
    isOver = true
  })
  while (!isOver && simulation.nowMs < shape.troubleMs) {
    await simulation.run({ until: () => isOver, untilMs: simulation.nowMs + lookEveryMs })
    const found = checkSoFar(history, caughtBy)
    if (found.length > 0) return found
  }
  return undefined
}
