import { chance, integer, pick, sleep } from '@strata/world'
import type { SimNetwork, SimProcess } from '@strata/world/sim'
import { type CustomPlural, customPlurals } from '../keys.ts'
import {
  type CustomVersion,
  customVersions,
  definition,
  definitionPath,
  definitionsPath,
  type Wanted,
} from './definitions.ts'
import { type Json, type Reply, type Request, request } from './request.ts'

export interface DefinerParts {
  readonly process: SimProcess
  readonly network: SimNetwork
  readonly serverNames: () => readonly string[]
  /** How long it rests between two deeds, on average. */
  readonly restMs: number
  /** Marks of several are told apart by where they begin. */
  readonly firstMark?: number
}

/** What stands more than once happens more often. */
const deeds = ['flip', 'flip', 'flip', 'flip', 'mark', 'mark', 'serve', 'serve', 'delete', 'rival'] as const

/**
 * Someone who changes definitions of custom resources while they are in use: moves the storage version to and fro, stops
 * serving a version and serves it again, edits the schema, deletes a definition and brings another one by the same name,
 * and asks for names that others have.
 */
export class Definer {
  readonly #parts: DefinerParts
  #marks: number
  #brought = 0
  #stopped = false

  constructor(parts: DefinerParts) {
    this.#parts = parts
    this.#marks = parts.firstMark ?? 0
  }

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<void> {
    const { process, restMs } = this.#parts
    while (!this.#stopped) {
      await sleep(process.clock, 2 * restMs * process.random.fraction())
      if (!this.#stopped) await this.#act()
    }
  }

  /** Something that was not there a moment ago, and mostly never: one has the kind at a time, so that the others go first. */
  async bringNew(): Promise<void> {
    const next = customPlurals[this.#brought++ % customPlurals.length] ?? 'gadgets'
    await Promise.all(customPlurals.filter((each) => each !== next).map((each) => this.#delete(each)))
    await this.#create(next)
  }

  async #act(): Promise<void> {
    const { random } = this.#parts.process
    const deed = pick(random, deeds)
    const plural = pick(random, ['gadgets', 'gadgets', 'gizmos'] as const)
    if (deed === 'rival') return this.#rival()
    const found = await this.#send({ method: 'GET', target: definitionPath(plural) })
    if (found?.status === 404) return this.#create(plural)
    if (found?.status !== 200) return
    const { body } = found
    if (body.metadata.deletionTimestamp !== undefined) return
    if (deed === 'delete') {
      await this.#delete(plural)
      if (chance(random, 0.5)) await this.#create(plural)
    } else await this.#change(plural, body, deed)
  }

  async #change(plural: CustomPlural, stored: Json, deed: 'flip' | 'mark' | 'serve'): Promise<void> {
    const { random } = this.#parts.process
    const { storage, served } = whatIsWanted(stored)
    const other: CustomVersion = storage === 'v1' ? 'v2' : 'v1'
    const wanted: Wanted = {
      storage: deed === 'flip' ? other : storage,
      // Also the one that is stored, and sometimes both: what is stored stays what it is.
      served: deed === 'serve' ? customVersions.filter(() => chance(random, 0.8)) : served,
      mark: this.#mark(),
    }
    const { resourceVersion } = stored.metadata
    const next = definition(plural, wanted)
    await this.#send({
      method: 'PUT',
      target: definitionPath(plural),
      body: { ...next, metadata: { ...next.metadata, resourceVersion } },
    })
  }

  async #create(plural: CustomPlural): Promise<void> {
    const { random } = this.#parts.process
    const wanted: Wanted = {
      storage: pick(random, customVersions),
      served: customVersions,
      mark: this.#mark(),
    }
    await this.#send({ method: 'POST', target: definitionsPath, body: definition(plural, wanted) })
  }

  #delete(plural: CustomPlural): Promise<Reply | undefined> {
    return this.#send({ method: 'DELETE', target: definitionPath(plural) })
  }

  /** All at once: who has the kind goes, and those who wait for it, or come in this moment, are many. */
  async #rival(): Promise<void> {
    const { random } = this.#parts.process
    if (chance(random, 0.5)) await this.#delete(pick(random, customPlurals))
    await Promise.all(customPlurals.map((plural) => this.#create(plural)))
    await sleep(this.#parts.process.clock, integer(random, 3_000))
    if (chance(random, 0.7)) await this.#delete('gears')
  }

  async #send(asked: Omit<Request, 'timeoutMs'>): Promise<Reply | undefined> {
    const { process, network } = this.#parts
    if (this.#stopped) return undefined
    const [first = '', ...others] = this.#parts.serverNames()
    const server = pick(process.random, [first, ...others])
    try {
      const reply = await request(process, network.connect(process, server), { ...asked, timeoutMs: 10_000 })
      process.log.debug(`${asked.method} ${asked.target}`, { server, status: reply.status })
      return reply
    } catch (error) {
      process.log.debug(`${asked.method} ${asked.target}`, { server, error: String(error) })
      return undefined
    }
  }

  #mark(): string {
    return `mark${++this.#marks}`
  }
}

function whatIsWanted({ spec }: Json): Pick<Wanted, 'storage' | 'served'> {
  const isOf = (wanted: 'served' | 'storage'): CustomVersion[] =>
    spec.versions.filter((each: Json) => each[wanted]).map(({ name }: Json) => name)
  return { storage: isOf('storage')[0] ?? 'v1', served: isOf('served') }
}
