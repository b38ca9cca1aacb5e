import { createHash } from 'node:crypto'
import { opensKey } from '@strata/api'
import { deadline, uuid, type World } from '@strata/world'
import type { Key } from '../../store/index.ts'
import { anyKmsKey, givenKmsKeyId, type KeyId, kmsKeyId } from '../key-id.ts'
import type { Provider } from '../key-ring.ts'
import { CannotOpen, type KeyReader, type KeyWriter, type Opened } from '../sealing-key.ts'
import { keyIdProblem, objectProblem, wrappedProblem } from './check-wrapped.ts'
import { DataKey, seedBytes } from './data-key.ts'
import { judgeRefusal } from './judge-refusal.ts'
import type { KmsClient } from './kms-client.ts'
import { decodeObject, encodeObject, keyIsDerived, type Wrapped } from './kms-messages.ts'

/** As in kube-apiserver: how often the status of a healthy and of an unhealthy plugin is checked. */
const wellIntervalMs = 60_000
const unwellIntervalMs = 10_000
/** How long a seed may be written with after the last successful check of the plugin. */
const seedLifeMs = 180_000
/** The cache of seeds. There is one for each server and key, and for each start of a server. */
const maxRemembered = 1_000

/** How long a refused seed, or any seed if the plugin does not answer, is not requested again. */
const deafMs = 1_000

interface Seed {
  readonly id: KeyId
  readonly wrapped: Wrapped
  readonly key: DataKey
}

/**
 * A KMS v2 plugin as a provider of keys. The server makes a seed, lets the plugin wrap it, and derives a key for each object from
 * it. Each object carries the wrapped seed. So the plugin is called once per seed, not per object.
 */
export class KmsProvider implements Provider {
  readonly name: string
  readonly readers: readonly KeyReader[]
  readonly #client: KmsClient
  readonly #world: World
  readonly #prefix: Buffer
  /** The newest seed, then the one before: it is written with until all servers have agreed on the newest. */
  #seeds: readonly Seed[] = []
  /** Exact keys that the plugin is known to have. */
  readonly #known = new Set<KeyId>()
  readonly #remembered = new Map<string, DataKey>()
  readonly #asking = new Map<string, Promise<DataKey>>()
  #expiresMs = 0
  #deafUntilMs = 0
  /** Seeds that the plugin refused to decrypt, until they are requested again. */
  readonly #refused = new Map<string, { readonly untilMs: number; readonly error: CannotOpen }>()
  /** Keys that other servers know. */
  readonly #awaited = new Set<KeyId>()
  #hurry: (() => void) | undefined
  #problem: string | undefined = 'its status has not been checked yet'
  #checking: Promise<void> | undefined
  #version: string | undefined
  /** Called when the readable or writable keys change, or when the plugin becomes healthy. */
  onChange: () => void = () => {}

  constructor(name: string, client: KmsClient, world: World) {
    this.name = name
    this.#client = client
    this.#world = world
    this.#prefix = Buffer.from(`k8s:enc:kms:v2:${name}:`)
    this.readers = [{ prefix: this.#prefix, open: (body, path) => this.#open(body, path) }]
  }

  get writers(): readonly KeyWriter[] {
    return this.#seeds.map((seed) => ({ id: seed.id, seal: (plain, path) => this.#seal(seed, plain, path) }))
  }

  get readable(): readonly KeyId[] {
    return [...[...this.#known].sort(), anyKmsKey(this.name)]
  }

  /** The problem of the plugin; undefined if it is healthy. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Checks the status of the plugin now and regularly, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.check(signal)
      const isSettled = this.#problem === undefined && this.#awaited.size === 0
      await this.#pause(isSettled ? wellIntervalMs : unwellIntervalMs, signal)
    }
    this.disconnect()
  }

  /** Closes the connection; the next call opens it again. */
  disconnect(): void {
    this.#client.close()
  }

  /** Another server names this key: the plugin is checked now, and often until it knows the key, too. */
  lookFor(key: KeyId): void {
    if (this.#known.has(key) || this.#awaited.has(key)) return
    if (!opensKey([anyKmsKey(this.name)], key)) return
    this.#awaited.add(key)
    this.#hurry?.()
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const over = deadline(this.#world.clock, ms, signal)
    await new Promise<void>((resolve) => {
      this.#hurry = resolve
      over.signal.addEventListener('abort', () => resolve(), { once: true })
      if (over.signal.aborted) resolve()
    })
    over.dispose()
  }

  /** One check at a time: two could each make a seed. Never throws; `problem` has the result. */
  check(signal: AbortSignal): Promise<void> {
    this.#checking ??= this.#checkOnce(signal).finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #checkOnce(signal: AbortSignal): Promise<void> {
    const before = this.#problem
    const said = this.readable.join()
    const writing = this.#seeds[0]?.id
    try {
      await this.#look(signal)
      this.#problem = undefined
    } catch (error) {
      if (signal.aborted) return
      const why = error instanceof Error ? error.message : String(error)
      this.#problem = `KMS provider ${this.name}: ${why}`
      if (before !== this.#problem)
        this.#world.log.warn('the KMS plugin is unhealthy', { why: this.#problem })
    }
    const isBack = before !== undefined && this.#problem === undefined
    if (isBack) this.#world.log.info('the KMS plugin is healthy again', { name: this.name })
    if (isBack || said !== this.readable.join() || writing !== this.#seeds[0]?.id) this.onChange()
  }

  async #look(signal: AbortSignal): Promise<void> {
    // Measured before the call: the answer was true at some moment since.
    const expiresMs = this.#world.clock.monotonicMs() + seedLifeMs
    const { healthz, version, keyID } = await this.#client.status(signal)
    if (healthz !== 'ok') throw new Error(`its healthz is ${JSON.stringify(healthz)}; expected "ok"`)
    if (version !== 'v2' && version !== 'v2beta1') throw new Error(`it speaks ${version}; expected v2`)
    this.#version ??= version
    if (this.#version !== version) throw new Error(`its version changed from ${this.#version} to ${version}`)
    const problem = keyIdProblem(keyID)
    if (problem !== undefined) throw new Error(problem)
    const id = kmsKeyId(this.name, keyID)
    this.#learn(id)
    if (this.#seeds[0]?.wrapped.keyID !== keyID) await this.#makeSeed(keyID, signal)
    this.#expiresMs = expiresMs
  }

  #learn(id: KeyId): void {
    this.#known.add(id)
    this.#awaited.delete(id)
  }

  async #makeSeed(keyID: string, signal: AbortSignal): Promise<void> {
    const { random } = this.#world
    const secret = random.bytes(seedBytes)
    const wrapped = await this.#client.encrypt(secret, uuid(random), signal)
    const problem = wrappedProblem(wrapped)
    if (problem !== undefined) throw new Error(problem)
    if (wrapped.keyID !== keyID) throw new Error('it encrypts with another key than its status names')
    const key = new DataKey(secret, keyIsDerived)
    this.#remember(fingerprintOf(wrapped, keyIsDerived), key)
    this.#seeds = [{ id: kmsKeyId(this.name, keyID), wrapped, key }, ...this.#seeds.slice(0, 1)]
  }

  #seal(seed: Seed, plain: Uint8Array, path: Key): Uint8Array {
    if (this.#world.clock.monotonicMs() > this.#expiresMs) {
      throw new CannotOpen(
        `KMS provider ${this.name} has not been healthy for ${seedLifeMs / 60_000} minutes`,
        {
          isPassing: true,
        },
      )
    }
    const data = seed.key.seal(plain, path, this.#world.random)
    return encodeObject(this.#prefix, { ...seed.wrapped, data, source: keyIsDerived })
  }

  #open(body: Buffer, path: Key): Opened | Promise<Opened> {
    const object = decodeObject(body)
    const problem = objectProblem(object)
    if (problem !== undefined) throw new CannotOpen(problem)
    const { data, keyID, source } = object
    const id = kmsKeyId(this.name, keyID)
    const under = source === keyIsDerived ? id : givenKmsKeyId(this.name, keyID)
    const fingerprint = fingerprintOf(object, source)
    const known = this.#remembered.get(fingerprint)
    if (known) return { value: known.open(data, path), under }
    return this.#unwrap(fingerprint, object, source).then((key) => {
      // The plugin has shown that it knows the key.
      if (!this.#known.has(id)) {
        this.#learn(id)
        this.onChange()
      }
      return { value: key.open(data, path), under }
    })
  }

  /** One call for each seed, however many objects wait for it. */
  #unwrap(fingerprint: string, wrapped: Wrapped, source: number): Promise<DataKey> {
    const asked = this.#asking.get(fingerprint)
    if (asked) return asked
    // Objects do not each wait for a plugin that does not answer.
    const nowMs = this.#world.clock.monotonicMs()
    const refused = this.#refused.get(fingerprint)
    if (refused && nowMs < refused.untilMs) throw refused.error
    if (nowMs < this.#deafUntilMs) {
      throw new CannotOpen(`KMS provider ${this.name} did not answer a moment ago`, { isPassing: true })
    }
    const asking = this.#ask(fingerprint, wrapped, source).finally(() => this.#asking.delete(fingerprint))
    this.#asking.set(fingerprint, asking)
    return asking
  }

  async #ask(fingerprint: string, { ciphertext, keyID, annotations }: Wrapped, source: number) {
    this.#refused.delete(fingerprint)
    const uid = uuid(this.#world.random)
    try {
      const asked = { ciphertext, keyID, annotations }
      const secret = await this.#client.decrypt(asked, uid, new AbortController().signal)
      const key = new DataKey(secret, source)
      this.#remember(fingerprint, key)
      return key
    } catch (cause) {
      const { isAboutSeed, isPassing } = judgeRefusal(cause)
      const why = cause instanceof Error ? cause.message : String(cause)
      const text = `KMS provider ${this.name} did not decrypt the key: ${why}`
      const error = new CannotOpen(text, { isPassing, cause })
      const untilMs = this.#world.clock.monotonicMs() + deafMs
      if (isAboutSeed) keepNewest(this.#refused.set(fingerprint, { untilMs, error }))
      else this.#deafUntilMs = untilMs
      throw error
    }
  }

  #remember(fingerprint: string, key: DataKey): void {
    keepNewest(this.#remembered.set(fingerprint, key))
  }
}

function keepNewest(seeds: Map<string, unknown>): void {
  const [oldest] = seeds.keys()
  if (seeds.size > maxRemembered && oldest !== undefined) seeds.delete(oldest)
}

/** Covers everything that is sent to the plugin: two values that differ anywhere may be two seeds. */
function fingerprintOf({ ciphertext, keyID, annotations }: Wrapped, source: number): string {
  const hash = createHash('sha256').update(
    `${source} ${Buffer.byteLength(keyID)} ${keyID} ${ciphertext.length} `,
  )
  hash.update(ciphertext)
  for (const name of Object.keys(annotations).sort()) {
    const value = annotations[name] ?? new Uint8Array()
    hash.update(` ${name} ${value.length} `).update(value)
  }
  return hash.digest('base64')
}
