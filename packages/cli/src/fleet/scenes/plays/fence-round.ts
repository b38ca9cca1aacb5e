import type { ApiObject } from '@strata/api'
import { isSuccess, resourcePath } from '@strata/client'
import { type HttpRequest, readAll, utf8 } from '@strata/world'
import type { Stage } from '../stage.ts'
import { type Stored, takeCensus } from '../take-census.ts'
import { type LanternVersion, lantern, lanternCrd, lanterns, untilAllWrite } from './lanterns.ts'

/** What one freeze has shown. */
export interface FenceRound {
  /** What the server wrote when it was frozen, and what the others write since. */
  readonly old: string
  readonly now: string
  /** Clients that were waiting for its answer then. */
  readonly waiting: number
  /** Its writes that the store refused after the thaw. */
  readonly refused: number
  /** While it was frozen, and after its answers. */
  readonly before: Stored
  readonly after: Stored
  /** No migration had rewritten an object by then, so the two can be compared. */
  readonly isUntouched: boolean
}

interface Round {
  readonly server: string
  readonly others: readonly string[]
  readonly old: LanternVersion
  readonly number: number
}

const clients = 40
/** Enough for every client to be in the middle of a write. */
const writesBefore = 2 * clients

/** Freezes a server while clients write through it, lets the others go on to another version, and thaws it. */
export async function playRound(stage: Stage, { server, others, old, number }: Round): Promise<FenceRound> {
  const now = old === 'v1' ? 'v2' : 'v1'
  const { control } = stage
  await untilSettled(stage, old)
  const refusedBefore = await readRefused(stage, server)
  const writers = new Writers(stage, server, `round-${number}`)
  await stage.until('clients write', async () => (writers.acknowledged >= writesBefore ? true : undefined))
  // Before: it may be frozen without an answer.
  stage.later((after) => thawIfFrozen(after, server))
  await control.act({ action: 'freeze', server })
  writers.stop()
  const { waiting } = writers
  const before = await takeCensus(stage, lanterns)
  const untouched = await readRevisions(stage, others[0] ?? server)
  await control.act({ action: 'switch-storage-version', crd: lanternCrd, version: now })
  await untilAllWrite(stage, now, [server])
  await control.act({ action: 'thaw', server })
  await writers.ended()
  const after = await takeCensus(stage, lanterns)
  const revisions = await readRevisions(stage, others[0] ?? server)
  await untilAllWrite(stage, now)
  return {
    ...{ old, now, waiting, before, after },
    refused: (await readRefused(stage, server)) - refusedBefore,
    isUntouched: [...untouched].every(([name, revision]) => revisions.get(name) === revision),
  }
}

/** Until the controllers of the fleet have rewritten what an earlier round has left in another version. */
async function untilSettled(stage: Stage, version: LanternVersion): Promise<void> {
  await untilAllWrite(stage, version)
  await stage.until(`everything is stored in ${version}`, async () => {
    const { byVersion } = await takeCensus(stage, lanterns)
    return Object.keys(byVersion).join() === version ? true : undefined
  })
}

async function thawIfFrozen({ control }: Stage, server: string): Promise<void> {
  const { servers } = await control.read()
  const frozen = servers.some(({ name, state }) => name === server && state === 'frozen')
  if (frozen) await control.act({ action: 'thaw', server })
}

/** Clients that create objects through one server, each one after the other. */
class Writers {
  readonly #stage: Stage
  readonly #server: string
  readonly #prefix: string
  readonly #loops: Promise<unknown>
  #created = 0
  #isStopped = false
  waiting = 0
  acknowledged = 0

  constructor(stage: Stage, server: string, prefix: string) {
    this.#stage = stage
    this.#server = server
    this.#prefix = prefix
    this.#loops = Promise.all(Array.from({ length: clients }, () => this.#write()))
    // It is awaited after the thaw; an error on the way there must not end the program.
    this.#loops.catch(() => {})
  }

  /** They wait for the answers that are still to come. */
  stop(): void {
    this.#isStopped = true
  }

  async ended(): Promise<void> {
    await this.#loops
  }

  async #write(): Promise<void> {
    const target = resourcePath({ ...lanterns, versionName: 'v1' }, { namespace: 'default' })
    const headers = { 'content-type': 'application/json' }
    while (!this.#isStopped) {
      const body = utf8.encode(JSON.stringify(lantern(`${this.#prefix}-${++this.#created}`)))
      this.waiting++
      const answer = await ask(this.#stage, this.#server, { method: 'POST', target, headers, body })
      this.waiting--
      if (isSuccess(answer)) this.acknowledged++
    }
  }
}

async function ask(
  stage: Stage,
  server: string,
  request: Pick<HttpRequest, 'target'> & Partial<HttpRequest>,
) {
  const { status, body } = await stage.transportOf(server)({
    ...{ method: 'GET', headers: {}, signal: stage.signal },
    ...request,
  })
  return { status, text: utf8.decode(await readAll(body)) }
}

/** By name. A rewritten object has another one. */
async function readRevisions(stage: Stage, server: string): Promise<ReadonlyMap<string, string>> {
  const target = resourcePath({ ...lanterns, versionName: 'v1' }, { namespace: 'default' })
  const { text } = await ask(stage, server, { target })
  const { items = [] } = JSON.parse(text) as { readonly items?: readonly ApiObject[] }
  return new Map(items.map(({ metadata }) => [metadata.name ?? '', metadata.resourceVersion ?? '']))
}

async function readRefused(stage: Stage, server: string): Promise<number> {
  const { text } = await ask(stage, server, { target: '/metrics' })
  const [, count = ''] = /^strata_fence_broken_guards_total (\d+)/m.exec(text) ?? []
  if (count === '') throw new Error(`${server} has no metric strata_fence_broken_guards_total`)
  return Number(count)
}
