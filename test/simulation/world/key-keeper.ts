import {
  agreementName,
  type GroupResource,
  persistedKeysOf,
  type StorageAgreement,
  storageAgreements,
} from '@strata/api'
import { chance, deadline, integer, pick, shuffled, sleep } from '@strata/world'
import type { Reload } from './follow-key-file.ts'
import type { KeyFiles } from './key-files.ts'
import { type MigratorParts, migrateOnce } from './migrator.ts'

/** One promise about keys, broken. */
export interface KeySabotage {
  /** How a server takes over a file. */
  readonly reload?: Reload
}

export interface KeyKeeperParts extends MigratorParts {
  readonly files: KeyFiles
  readonly instances: readonly [string, ...string[]]
  /** Has a custom resource defined that was not there, where there are any. */
  readonly bringNew?: () => Promise<void>
}

type Way = 'patient' | 'impatient' | 'meddling'

/** How long a patient operator waits for one step, before giving the rotation up for now. */
const patienceMs = 60_000

/**
 * An operator who rotates keys, one after the other, as in docs/encryption.md: add, agree, promote, agree, migrate, prove,
 * remove. Mostly patiently; sometimes each step too early, or a key is put first in the edit that adds it; and sometimes whatever
 * comes to mind is written into a file. Now and then a resource is defined while one server has the new file and another has not.
 */
export class KeyKeeper {
  readonly #parts: KeyKeeperParts
  /** What all files are meant to say. */
  #keys: readonly string[]
  #isOver = false

  constructor(parts: KeyKeeperParts) {
    this.#parts = parts
    this.#keys = parts.files.of(parts.instances[0])
  }

  async run(): Promise<void> {
    const { process } = this.#parts
    for (;;) {
      await this.#rest(6_000)
      if (this.#isOver) return
      const way = pick(process.random, ['patient', 'patient', 'impatient', 'meddling'] as const)
      if (way === 'meddling') await this.#meddle()
      else await this.#rotate(way)
    }
  }

  /** The end of all trouble: every file has every key. */
  stop(): void {
    this.#isOver = true
    const [first = 'identity'] = this.#keys
    const keys = [first, ...this.#parts.files.keys.filter((each) => each !== first)]
    for (const instance of this.#parts.instances) this.#parts.files.write(instance, keys)
  }

  async #rotate(way: Way): Promise<void> {
    const { files, process } = this.#parts
    const before = this.#keys
    const rest = files.keys.filter((each) => each !== before[0])
    const next = pick(process.random, [rest[0] ?? 'identity', ...rest.slice(1)])
    const id = files.idOf(next)
    const others = before.filter((each) => each !== next)
    process.log.debug('rotates', { way, from: before.join(), to: next })
    // One edit may do both; whoever has it first must wait for the others all the same.
    const isOneEdit = way === 'impatient' || chance(process.random, 0.5)
    if (isOneEdit) await this.#write([next, ...others], { isNewDefined: true })
    else await this.#write([...others, next])
    const isAdded = await this.#await(way, ({ status }) =>
      status.servers.every(({ readableKeys }) => readableKeys.includes(id)),
    )
    if (!isAdded) return
    await this.#write([next, ...others])
    const isPromoted = await this.#await(way, ({ status }) =>
      status.servers.every(({ writeKey }) => writeKey === id),
    )
    if (!isPromoted) return
    await this.#migrateAll()
    const isProven = await this.#await(
      way,
      ({ status }) => persistedKeysOf(status).join() === id,
      () => this.#migrateAll(),
    )
    if (isProven) await this.#write([next])
  }

  /** An operator who has not read the documentation. */
  async #meddle(): Promise<void> {
    const { files, process, instances } = this.#parts
    const anyOrder = shuffled(files.keys, process.random)
    const keys = anyOrder.slice(0, 1 + integer(process.random, anyOrder.length))
    const instance = pick(process.random, instances)
    process.log.debug('meddles', { instance, keys: keys.join() })
    files.write(instance, keys)
    await this.#rest(20_000)
    if (chance(process.random, 0.8)) await this.#write(this.#keys)
  }

  /** Into one file after the other; now and then one is forgotten for a while. */
  async #write(keys: readonly string[], { isNewDefined = false } = {}): Promise<void> {
    const { files, process, instances } = this.#parts
    const forgotten = chance(process.random, 0.2) ? pick(process.random, instances) : undefined
    for (const instance of instances) {
      if (this.#isOver) return
      if (instance !== forgotten) files.write(instance, keys)
      await sleep(process.clock, integer(process.random, 800))
      // The server of the first file has taken it over by then.
      if (isNewDefined && instance === instances[0]) await this.#bringNew()
    }
    this.#keys = keys
    if (forgotten === undefined) return
    await this.#rest(10_000)
    if (!this.#isOver) files.write(forgotten, keys)
  }

  async #bringNew(): Promise<void> {
    const { process, bringNew } = this.#parts
    if (!bringNew) return
    await sleep(process.clock, 1_000 + integer(process.random, 1_500))
    await bringNew()
    // Its names have to be accepted first.
    await sleep(process.clock, 1_000 + integer(process.random, 3_000))
  }

  /** Until it holds of every record; or, for who cannot wait, for a moment. */
  async #await(
    way: Way,
    holds: (record: StorageAgreement) => boolean,
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<boolean> {
    const { process } = this.#parts
    if (way === 'impatient') {
      await this.#rest(4_000)
      return true
    }
    const endMs = process.clock.monotonicMs() + patienceMs
    while (!this.#isOver && process.clock.monotonicMs() < endMs) {
      await this.#rest(3_000)
      const records = await this.#records()
      if (records.length > 0 && records.every(holds)) return true
      await meanwhile()
    }
    return false
  }

  async #migrateAll(): Promise<void> {
    for (const resource of this.#resources) {
      if (!this.#isOver) await migrateOnce(this.#parts, resource)
    }
  }

  get #resources(): readonly GroupResource[] {
    return [...new Map(this.#parts.resources.map((each) => [agreementName(each), each])).values()]
  }

  async #records(): Promise<readonly StorageAgreement[]> {
    const { client, process } = this.#parts
    const limit = deadline(process.clock, 8_000)
    const names = this.#resources.map((each) => agreementName(each))
    try {
      const { items } = await client
        .resource<StorageAgreement>(storageAgreements, 'v1alpha1')
        .list({}, limit.signal)
      return items.filter(({ metadata }) => names.includes(metadata.name ?? ''))
    } catch (error) {
      process.log.debug('could not look at the records', { error: String(error) })
      return []
    } finally {
      limit.dispose()
    }
  }

  #rest(mostMs: number): Promise<void> {
    const { clock, random } = this.#parts.process
    return sleep(clock, 200 + integer(random, mostMs))
  }
}
