import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { createSimRandom } from '@strata/world/sim'
import { ask } from '../support/ask.ts'
import { until } from '../support/until.ts'
import { CrdChurn } from './crd-churn.ts'
import { HeartbeatWatch, WatchConnection, watchesPerConnection } from './heartbeat-watch.ts'
import { type LivezFigures, probeLivez } from './livez.ts'
import { fillHistory, MixedWriter } from './mixed-writes.ts'
import { type MemorySample, RetainedMemory } from './retained-memory.ts'
import { type ServerName, SoakFleet } from './soak-fleet.ts'

export interface SoakOptions {
  readonly minutes: number
  readonly watches: number
  readonly writers: number
  /** Writes before the time begins; more than the server remembers, where its memory is judged. */
  readonly filling: number
  readonly crdEveryMs: number
  readonly onProgress?: (text: string) => void
}

export interface SoakFigures {
  readonly minutes: number
  readonly beats: number
  /** Were not acknowledged at once: the store was busy. */
  readonly repeatedBeats: number
  readonly watches: number
  readonly events: number
  readonly resumes: number
  readonly relists: number
  readonly gaps: readonly string[]
  /** Watches that have not seen the last beat when all had time to. */
  readonly stuck: number
  /** The longest time in which a watch got no beat, and in which no beat was acknowledged. */
  readonly longestSilenceMs: number
  readonly longestBeatMs: number
  /** Answered ones, by kind. */
  readonly operations: Readonly<Record<string, number>>
  /** Refused, or without an answer. */
  readonly refused: number
  readonly unexpected: readonly string[]
  readonly crdRounds: number
  readonly crdProblems: readonly string[]
  readonly restarts: number
  readonly ended: readonly string[]
  readonly livez: LivezFigures
  /** The memory of server a, after the warm-up. */
  readonly memory: readonly MemorySample[]
}

export const beatMs = 2_000
const heartbeats = '/api/v1/namespaces/soak/configmaps'
/** A tenth of the watches see every write of the load as well. */
const everything = '/api/v1/configmaps'
const namespaceOf = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Load, watches, CRDs that come and go, and restarts for so long; then what was seen. */
export async function soak(options: SoakOptions): Promise<SoakFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-soak-probe-'))
  const fleet = await SoakFleet.start()
  const stopping = new AbortController()
  try {
    return await new Soak(fleet, options, stopping.signal).run(directory)
  } finally {
    stopping.abort()
    await fleet.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

class Soak {
  readonly #fleet: SoakFleet
  readonly #options: SoakOptions
  readonly #signal: AbortSignal
  readonly #watches: HeartbeatWatch[] = []
  readonly #connections: WatchConnection[] = []
  readonly #memory: MemorySample[] = []
  #startedMs = nodeClock.monotonicMs()
  #beat = 0
  #repeatedBeats = 0
  #longestBeatMs = 0
  #restarts = 0

  constructor(fleet: SoakFleet, options: SoakOptions, signal: AbortSignal) {
    this.#fleet = fleet
    this.#options = options
    this.#signal = signal
  }

  async run(directory: string): Promise<SoakFigures> {
    const fleet = this.#fleet
    const transport = fleet.transport('a')
    for (const name of ['soak', 'soak-load'])
      await ask(transport, 'POST', '/api/v1/namespaces', namespaceOf(name))
    await fillHistory(transport, this.#options.filling, this.#signal)
    this.#startedMs = nodeClock.monotonicMs()
    const first = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heartbeat' }, data: {} }
    const { body } = await ask(transport, 'POST', heartbeats, first)
    this.#openWatches(body.metadata.resourceVersion)
    const stopProbing = await probeLivez(fleet.access('a'), directory)
    const ending = new AbortController()
    const writers = Array.from(
      { length: this.#options.writers },
      (_, index) =>
        new MixedWriter(
          () => fleet.transport(index % 4 === 3 ? 'b' : 'a'),
          createSimRandom(`writer ${index}`),
        ),
    )
    const churn = new CrdChurn(transport, this.#options.crdEveryMs)
    const running = [...writers.map((each) => each.run(ending.signal)), churn.run(ending.signal)]
    await Promise.all([this.#beatOn(), this.#restartOften(), this.#measure()])
    ending.abort()
    await Promise.all(running)
    const stuck = await this.#countStuck()
    const livez = await stopProbing()
    for (const each of this.#connections) each.close()
    const figures = this.#watches.map((each) => each.figures)
    const sum = (of: (each: (typeof figures)[number]) => number): number =>
      figures.reduce((total, each) => total + of(each), 0)
    return {
      minutes: this.#options.minutes,
      ...{
        beats: this.#beat,
        repeatedBeats: this.#repeatedBeats,
        watches: figures.length,
        stuck,
        restarts: this.#restarts,
        livez,
      },
      ...{ events: sum((each) => each.events), resumes: sum((each) => each.resumes) },
      relists: sum((each) => each.relists),
      gaps: figures.flatMap(({ gaps }) => gaps),
      longestSilenceMs: figures.reduce((most, each) => Math.max(most, each.longestSilenceMs), 0),
      longestBeatMs: this.#longestBeatMs,
      refused: writers.reduce((total, each) => total + each.figures.refused, 0),
      operations: totals(writers.map((each) => each.figures.operations)),
      unexpected: writers.flatMap((each) => each.figures.unexpected),
      ...{ crdRounds: churn.figures.rounds, crdProblems: churn.figures.problems },
      ...{ ended: fleet.ended, memory: this.#memory },
    }
  }

  get #left(): number {
    return this.#options.minutes * 60_000 - (nodeClock.monotonicMs() - this.#startedMs)
  }

  #openWatches(resourceVersion: string): void {
    const signal = this.#signal
    for (let index = 0; index < this.#options.watches; index++) {
      const server: ServerName = index % 2 === 0 ? 'a' : 'b'
      const place = Math.floor(index / 2 / watchesPerConnection) * 2 + (index % 2)
      const connection = this.#connections[place] ?? new WatchConnection(() => this.#fleet.access(server))
      this.#connections[place] = connection
      const path = index % 20 < 2 ? everything : heartbeats
      const watch = new HeartbeatWatch(connection, { path, resourceVersion, signal })
      this.#watches.push(watch)
      void watch.run()
    }
  }

  /** A beat that was not acknowledged is sent again as it is: if it was stored after all, that changes nothing. */
  async #beatOn(): Promise<void> {
    let acknowledgedMs = nodeClock.monotonicMs()
    while (this.#left > 0) {
      const body = { data: { beat: String(this.#beat + 1) } }
      const beating = ask(this.#fleet.transport('a'), 'PATCH', `${heartbeats}/heartbeat`, body)
      const status = await beating.then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) {
        this.#beat++
        const nowMs = nodeClock.monotonicMs()
        this.#longestBeatMs = Math.max(this.#longestBeatMs, nowMs - acknowledgedMs)
        acknowledgedMs = nowMs
      } else this.#repeatedBeats++
      await this.#pause(beatMs)
    }
  }

  async #restartOften(): Promise<void> {
    const everyMs = Math.max(10_000, Math.min(120_000, this.#options.minutes * 10_000))
    await this.#pause(everyMs)
    while (this.#left > everyMs / 2) {
      await this.#fleet.restart('b')
      this.#restarts++
      this.#options.onProgress?.(`server b restarted ${this.#restarts} times, ${this.#beat} beats`)
      await this.#pause(everyMs)
    }
  }

  /** After a quarter of the time, caches are full and code is compiled. */
  async #measure(): Promise<void> {
    const memory = await RetainedMemory.of(this.#fleet.server('a'))
    const totalMs = this.#options.minutes * 60_000
    await this.#pause(totalMs / 4)
    const everyMs = Math.max(2_000, totalMs / 80)
    while (this.#left > 0) {
      this.#memory.push(await memory.sample(nodeClock.monotonicMs() - this.#startedMs))
      await this.#pause(everyMs)
    }
    memory.close()
  }

  async #pause(ms: number): Promise<void> {
    await sleep(nodeClock, Math.max(1, Math.min(ms, this.#left)), this.#signal)
  }

  async #countStuck(): Promise<number> {
    const late = (): number => this.#watches.filter(({ figures }) => figures.lastBeat < this.#beat).length
    await until('every watch has seen the last beat', () => late() === 0, { giveUpMs: 60_000 }).catch(
      () => {},
    )
    return late()
  }
}

function totals(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const each of all)
    for (const [name, count] of Object.entries(each)) sums[name] = (sums[name] ?? 0) + count
  return sums
}
