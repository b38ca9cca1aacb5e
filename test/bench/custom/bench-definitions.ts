import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { BenchContext } from '../bench-context.ts'
import { run } from '../config-maps.ts'
import { inParallel } from '../contestant.ts'
import { type Home, type ServedBuild, serveBuild } from '../contestants/served-build.ts'
import { createLoadClient } from '../load/create-load-client.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { connections } from '../workloads.ts'
import { pathOf } from './bench-definition.ts'
import { instance } from './bench-kinds.ts'
import { install, untilCreated, untilServed } from './definition-client.ts'
import { type Costs, definitionCosts, small } from './definition-costs.ts'
import { manyDefinitions } from './many-definitions.ts'
import { longestSilenceMs } from './watchdog.ts'

/** The costs of a server without CRDs, and with many. */
export interface DefinitionsReport {
  readonly contestant: string
  readonly count: number
  /** The total size of all CRDs, as they are sent. */
  readonly sentBytes: number
  /** From the first one sent until all are served. */
  readonly installMs: number
  readonly silenceMs: BeforeAfter<number>
  readonly memoryBytes: BeforeAfter<number> & { readonly afterRestart: number }
  readonly times: ReadonlyArray<{ readonly what: string } & BeforeAfter<Estimate>>
}

interface BeforeAfter<T> {
  readonly before: T
  readonly after: T
}

const settleMs = 2_000

export async function benchDefinitions(
  contestant: string,
  bundle: string,
  home: Home,
  { flags, progress }: BenchContext,
): Promise<DefinitionsReport> {
  const definitions = manyDefinitions(flags.definitions, `${run}.bench.example.com`)
  progress(`${contestant}: starts without definitions`)
  const startsBefore = await starts(bundle, home, flags.starts, 'before')
  let server = await serveBuild(bundle, home)
  try {
    await sleep(nodeClock, settleMs)
    const idleBytes = server.memoryBytes()
    const client = createLoadClient(server.target, flags.http)
    const guard = createLoadClient(server.target, flags.http)
    let costsBefore: Costs | undefined
    const silenceBefore = await longestSilenceMs(guard, async () => {
      costsBefore = await definitionCosts(client, `without.${run}.example.com`)
    })
    const startMs = nodeClock.monotonicMs()
    const silence = await longestSilenceMs(guard, async () => {
      await inParallel({ count: definitions.length, atOnce: connections }, async (index) => {
        const definition = definitions[index]
        if (definition) await install(client, definition)
        if (index % 25 === 24) progress(`${contestant}: ${index + 1} of ${definitions.length} definitions`)
      })
      for (const definition of definitions) await untilServed(client, definition)
    })
    const installMs = nodeClock.monotonicMs() - startMs
    await sleep(nodeClock, settleMs)
    const filledBytes = server.memoryBytes()
    progress(`${contestant}: asks with ${definitions.length} definitions`)
    const costsAfter = await definitionCosts(client, `with.${run}.example.com`)
    client.close()
    guard.close()
    await server.stop()
    progress(`${contestant}: starts with ${definitions.length} definitions`)
    const startsAfter = await starts(bundle, home, flags.starts, 'after')
    server = await serveBuild(bundle, home)
    await sleep(nodeClock, settleMs)
    const times = [...pairs(costsBefore?.times, costsAfter.times), ...pairs(startsBefore, startsAfter)]
    return {
      contestant,
      count: definitions.length,
      sentBytes: definitions.reduce((sum, { body }) => sum + body.length, 0),
      installMs,
      silenceMs: { before: silenceBefore, after: silence },
      memoryBytes: { before: idleBytes, after: filledBytes, afterRestart: server.memoryBytes() },
      times,
    }
  } finally {
    await server.stop()
  }
}

/** The first one makes credentials and the definition that is asked for, and does not count. */
async function starts(
  bundle: string,
  home: Home,
  count: number,
  word: string,
): Promise<ReadonlyMap<string, Estimate>> {
  const ready: number[] = []
  const writable: number[] = []
  const definition = small(`start-${word}.${run}.example.com`)
  for (let turn = 0; turn <= count; turn++) {
    const startMs = nodeClock.monotonicMs()
    const server: ServedBuild = await serveBuild(bundle, home)
    const client = createLoadClient(server.target, '1')
    if (turn === 0) {
      await install(client, definition)
      await untilServed(client, definition)
    }
    await untilCreated(client, pathOf(definition), instance(definition, `start-${turn}`, {}))
    if (turn > 0) {
      ready.push(server.readyMs)
      writable.push(nodeClock.monotonicMs() - startMs)
    }
    client.close()
    await server.stop()
  }
  if (count === 0) return new Map()
  return new Map([
    ['start to ready', estimate(ready)],
    ['start, until a custom resource can be written', estimate(writable)],
  ])
}

function pairs(
  before: ReadonlyMap<string, Estimate> | undefined,
  after: ReadonlyMap<string, Estimate>,
): DefinitionsReport['times'] {
  return [...after].flatMap(([what, later]) => {
    const earlier = before?.get(what)
    return earlier ? [{ what, before: earlier, after: later }] : []
  })
}
