import { chance, pick, type Random, sleep, type Transport } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from '../../support/ask.ts'
import type { Answer } from '../../support/fleet.ts'
import { type LoadedVersion, loadedApiVersion, loadedBeacons, loadedPath } from '../../support/loaded-kind.ts'
import { until } from '../../support/until.ts'
import type { Action, Outcome, Seen } from '../checkers/operation.ts'
import { decideOutcome } from './decide-outcome.ts'
import type { History } from './history.ts'

export interface KeyClientsOptions {
  readonly history: History
  readonly servers: readonly Transport[]
  readonly keys: readonly string[]
  readonly random: Random
  readonly clients: number
  /** Between two requests of one client: a load, not a denial of service. */
  readonly pauseMs: number
}

/** Some clients are impatient: what they give up is of unknown outcome, and may still happen. */
const patienceMs = [1_000, 12_000] as const
const versions: readonly [LoadedVersion, ...LoadedVersion[]] = ['v1', 'v2']

/**
 * Clients that create, read, replace and delete the same few objects through all servers, against each other. Each acts on
 * what it saw last, which may be long gone: most of the work of a register is to refuse.
 */
export class KeyClients {
  readonly #options: KeyClientsOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<unknown>
  #turn = 0

  constructor(options: KeyClientsOptions) {
    this.#options = options
    const names = Array.from({ length: options.clients }, (_, index) => `client-${index}`)
    this.#running = Promise.all(names.map((name) => this.#run(name)))
  }

  /** Waits until that many more writes were acknowledged: the fleet works. */
  async untilMore(count: number, patience: { readonly giveUpMs?: number } = {}): Promise<void> {
    const { counts } = this.#options.history
    const wanted = counts.acknowledged + count
    await until(`${count} more writes are acknowledged`, () => counts.acknowledged >= wanted, patience)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(client: string): Promise<void> {
    const { random, keys, pauseMs } = this.#options
    const known = new Map<string, Seen | undefined>()
    for (;;) {
      await sleep(nodeClock, pauseMs * (0.5 + random.fraction()), this.#stopping.signal).catch(() => {})
      if (this.#stopping.signal.aborted) return
      const key = anyOf(random, keys)
      const action = this.#choose(known.get(key))
      const outcome = await this.#ask(client, key, action)
      if (outcome?.is === 'seen') known.set(key, outcome)
      else if (outcome?.is === 'stored' && 'colour' in action)
        known.set(key, { colour: action.colour, revision: outcome.revision })
      else known.delete(key)
    }
  }

  #choose(seen: Seen | undefined): Action {
    const { random } = this.#options
    if (chance(random, 0.35)) return { do: 'read' }
    const colour = `c${this.#turn++}`
    if (!seen) return chance(random, 0.5) ? { do: 'create', colour } : { do: 'read' }
    return chance(random, 0.25) ? { do: 'delete', expected: seen } : { do: 'replace', colour, expected: seen }
  }

  async #ask(client: string, key: string, action: Action): Promise<Outcome | undefined> {
    const { history, random, servers } = this.#options
    const call = history.call()
    const giveUpMs = pick(random, patienceMs)
    const answer = await send(anyOf(random, servers), pick(random, versions), key, action, giveUpMs)
    const decided = decideOutcome(action, key, answer, loadedBeacons.colourIn)
    if (decided === 'nothing') return undefined
    if (decided.is === 'unexpected') {
      history.complain(`${client}: ${decided.text}`)
      return undefined
    }
    history.add(client, key, action, decided, call)
    return decided
  }
}

function anyOf<T>(random: Random, all: readonly T[]): T {
  const [first, ...rest] = all
  if (first === undefined) throw new Error('there is nothing to choose from')
  return pick(random, [first, ...rest])
}

/** One request. An error stands for no answer. */
async function send(
  server: Transport,
  version: LoadedVersion,
  key: string,
  action: Action,
  giveUpMs: number,
): Promise<Answer | Error> {
  const collection = loadedPath(loadedBeacons, version)
  const path = `${collection}/${key}`
  const object = (colour: string, metadata: object): object => ({
    ...{ apiVersion: loadedApiVersion(loadedBeacons, version), kind: loadedBeacons.kind },
    ...{ metadata: { name: key, ...metadata }, ...loadedBeacons.contentOf(version, colour) },
  })
  try {
    switch (action.do) {
      case 'create':
        return await ask(server, 'POST', collection, object(action.colour, {}), { giveUpMs })
      case 'replace': {
        const resourceVersion = String(action.expected.revision)
        return await ask(server, 'PUT', path, object(action.colour, { resourceVersion }), { giveUpMs })
      }
      case 'delete': {
        const preconditions = { resourceVersion: String(action.expected.revision) }
        return await ask(server, 'DELETE', path, { preconditions }, { giveUpMs })
      }
      default:
        return await ask(server, 'GET', path, undefined, { giveUpMs })
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
