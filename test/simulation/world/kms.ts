import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { KmsClient } from '@strata/server'
import { GRPC, RpcError } from '@strata/server/store'
import { integer, pick, type Random, sleep, type World } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { count } from '../coverage.ts'
import type { History } from '../history.ts'

/** What the provider is called in every file. */
export const kmsName = 'vault'

/** How long a server waits for its plugin. */
const timeoutMs = 3_000

/** One instance's plugin. It outlives the processes of its server. */
interface Plugin {
  /** The newest key that it has heard of; it opens everything up to that. */
  newest: number
  downUntilMs: number
  slowUntilMs: number
}

/**
 * A KMS with one plugin beside each server. The KMS rotates its key, and each plugin hears of that in its own time; until then
 * it opens nothing that is under the new key. Plugins are slow or do not answer now and then.
 */
export class SimulatedKms {
  readonly #simulation: Simulation
  readonly #history: History
  readonly #plugins = new Map<string, Plugin>()
  #newest = 1
  #isOver = false

  constructor(simulation: Simulation, history: History) {
    this.#simulation = simulation
    this.#history = history
  }

  /** As records name the key that is the newest now. */
  get currentId(): string {
    return keyIdOf(`key-${this.#newest}`)
  }

  /** The way of one process to the plugin of its instance. */
  connect(instance: string, { clock, random }: World): KmsClient {
    const plugin = this.#pluginOf(instance)
    const ask = async <T>(signal: AbortSignal, answer: () => T): Promise<T> => {
      const nowMs = this.#simulation.nowMs
      const isSlow = nowMs < plugin.slowUntilMs
      const delayMs = isSlow ? integer(random, 5_000) : 1 + integer(random, 20)
      await sleep(clock, Math.min(delayMs, timeoutMs), signal)
      if (delayMs > timeoutMs) throw new Error(`the plugin has not answered within ${timeoutMs} ms`)
      if (this.#simulation.nowMs < plugin.downUntilMs) throw new Error('nobody listens on the socket')
      return answer()
    }
    const keyID = (): string => `key-${plugin.newest}`
    return {
      status: (signal) => ask(signal, () => ({ healthz: 'ok', version: 'v2', keyID: keyID() })),
      encrypt: (plaintext, _uid, signal) =>
        ask(signal, () => ({ ciphertext: plaintext.toReversed(), keyID: keyID(), annotations: {} })),
      decrypt: ({ ciphertext, keyID: asked }, _uid, signal) =>
        ask(signal, () => {
          if (Number(asked.slice('key-'.length)) <= plugin.newest) return ciphertext.toReversed()
          throw new RpcError(GRPC.notFound, `there is no ${asked}`, true)
        }),
      close: () => {},
    }
  }

  /** Rotations and faults, until `end`. */
  trouble(instances: readonly [string, ...string[]]): void {
    const random = this.#simulation.fork('kms')
    const next = (): void => {
      this.#simulation.schedule(5_000 + integer(random, 30_000), 'kms', () => {
        if (this.#isOver) return
        this.#strike(random, pick(random, instances))
        next()
      })
    }
    next()
  }

  /** The end of all trouble: every plugin answers, and knows every key. */
  end(): void {
    this.#isOver = true
    for (const plugin of this.#plugins.values()) {
      Object.assign(plugin, { newest: this.#newest, downUntilMs: 0, slowUntilMs: 0 })
    }
  }

  /** A new key, of which every plugin knows at once. */
  rotate(): void {
    this.#newest++
    for (const plugin of this.#plugins.values()) plugin.newest = this.#newest
  }

  #strike(random: Random, instance: string): void {
    const { nowMs } = this.#simulation
    const deed = pick(random, ['rotate', 'rotate', 'down', 'slow'] as const)
    count(this.#history.counts, `kms: ${deed}`)
    this.#simulation.trace(`kms: ${deed}`, { instance })
    const plugin = this.#pluginOf(instance)
    if (deed === 'rotate') this.#rotateSlowly(random)
    // Sometimes for longer than a seed may be written with.
    else if (deed === 'down') plugin.downUntilMs = nowMs + integer(random, pick(random, [20_000, 220_000]))
    else plugin.slowUntilMs = nowMs + integer(random, 30_000)
  }

  #rotateSlowly(random: Random): void {
    const newest = ++this.#newest
    for (const plugin of this.#plugins.values()) {
      this.#simulation.schedule(integer(random, 20_000), 'kms key', () => {
        plugin.newest = Math.max(plugin.newest, newest)
      })
    }
  }

  #pluginOf(instance: string): Plugin {
    const known = this.#plugins.get(instance)
    if (known) return known
    const plugin = { newest: this.#newest, downUntilMs: 0, slowUntilMs: 0 }
    this.#plugins.set(instance, plugin)
    return plugin
  }
}

const prefix = Buffer.from(`k8s:enc:kms:v2:${kmsName}:`)

export const isUnderKms = (value: Uint8Array): boolean =>
  Buffer.from(value).subarray(0, prefix.length).equals(prefix)

const keyIdOf = (keyID: string): string =>
  `kms:${kmsName}:${createHash('sha256').update(keyID).digest('hex').slice(0, 12)}`

/** What the simulated KMS has sealed, read from the bytes themselves (KMS v2, with a derived key). */
export function openKmsValue(
  value: Uint8Array,
  path: string,
): { readonly value: Buffer; readonly under: string } {
  const fields = fieldsOf(Buffer.from(value).subarray(prefix.length))
  const data = fields.get(1) ?? Buffer.alloc(0)
  const seed = Buffer.from(fields.get(3) ?? []).reverse()
  const key = createHmac('sha256', seed)
    .update(data.subarray(0, 32))
    .update(Buffer.from([1]))
    .digest()
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(32, 44))
  decipher.setAAD(Buffer.from(path))
  decipher.setAuthTag(data.subarray(-16))
  const plain = Buffer.concat([decipher.update(data.subarray(44, -16)), decipher.final()])
  return { value: plain, under: keyIdOf(String(fields.get(2))) }
}

/** The last of each field that holds bytes, of a protobuf message. */
function fieldsOf(message: Buffer): ReadonlyMap<number, Buffer> {
  const fields = new Map<number, Buffer>()
  let at = 0
  const integerAt = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = integerAt()
    const length = integerAt()
    if (tag % 8 !== 2) continue
    fields.set(Math.floor(tag / 8), message.subarray(at, at + length))
    at += length
  }
  return fields
}
