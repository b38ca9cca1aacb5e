import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { freePorts } from '../../support/free-ports.ts'
import type { BenchContext } from '../bench-context.ts'
import type { Contestant } from '../contestant.ts'
import type { Footprint } from '../report.ts'
import { estimate } from '../statistics.ts'
import { apiContestant } from './api-contestant.ts'
import { type Home, runServer, type ServedBuild, serveBuild } from './served-build.ts'

/** After work a server still tidies up for a while; what it needs shows after that. */
const settleMs = 2_000

/** A build of Strata as users run it; on the way its start and its memory are measured. */
export async function strataBuild(
  name: string,
  bundle: string,
  home: Home,
  context: BenchContext,
): Promise<{ readonly contestant: Contestant; readonly footprint: Footprint }> {
  const { flags, progress } = context
  const startsMs: number[] = []
  // The first start makes the credentials, which a server does once in its life.
  for (let start = 0; start <= flags.starts; start++) {
    progress(`${name}: starts, ${start + 1} of ${flags.starts + 1}`)
    const server = await serveBuild(bundle, home)
    if (start > 0) startsMs.push(server.readyMs)
    await server.stop()
  }
  const server = await serveBuild(bundle, home)
  await sleep(nodeClock, settleMs)
  const idleBytes = server.memoryBytes()
  const contestant = await contestantOf(name, server, context)
  await sleep(nodeClock, settleMs)
  const startMs = startsMs.length > 0 ? estimate(startsMs) : undefined
  const filledBytes = server.memoryBytes()
  return {
    contestant,
    footprint: { contestant: name, startMs, idleBytes, filledBytes, objects: flags.objects },
  }
}

/**
 * How a server agrees with others: not at all, without the guard, loosely, as usual, and once more as usual. What the
 * last two differ in is what the machine cannot tell apart.
 */
export const variants = ['off', 'loose', 'strict', 'strict again'] as const
/** The encryption providers to compare; the last one is none. */
export const encryptedVariants = ['aescbc', 'aesgcm', 'secretbox', 'plain'] as const
export type Variant = (typeof variants)[number] | (typeof encryptedVariants)[number]

const serveVariant = new URL('./serve-variant.ts', import.meta.url).pathname

/** The sources of this checkout, all of them, so that nothing differs but the way of agreeing. */
export async function strataVariant(
  variant: Variant,
  { directory, etcd }: Home,
  context: BenchContext,
): Promise<Contestant> {
  const [port] = await freePorts(1)
  const settings = JSON.stringify({ directory, port, etcd, variant })
  const server = await runServer([serveVariant, settings], directory, `https://127.0.0.1:${port}`)
  return contestantOf(variant, server, context)
}

async function contestantOf(
  name: string,
  server: ServedBuild,
  { flags, progress }: BenchContext,
): Promise<Contestant> {
  const contestant = await apiContestant({
    name,
    target: server.target,
    http: flags.http,
    objects: flags.objects,
    onProgress: (done) => progress(`${name}: filled with ${done} of ${flags.objects}`),
    processorMs: () => server.processorMs(),
    cleansUp: false,
  })
  return {
    ...contestant,
    close: async () => {
      await contestant.close()
      await server.stop()
    },
  }
}
