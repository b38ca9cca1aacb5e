import type { World } from '@strata/world'
import { type Ciphers, loadCipher, type MakeKey } from './ciphers.ts'
import type { EncryptionConfiguration, KeyedProvider, ProviderConfiguration } from './configuration.ts'
import type { KeyId } from './key-id.ts'
import { type Provider, plainProvider } from './key-ring.ts'
import type { KmsClient } from './kms/kms-client.ts'
import type { KmsProvider } from './kms/kms-provider.ts'
import type { SealingKey } from './sealing-key.ts'

type Kms = ProviderConfiguration & { readonly kind: 'kms' }

/** A file that is refused is tried once a second; a KMS that only it names is not asked that often. */
const lookAgainMs = 5_000

/** How providers reach what is outside. */
export interface ProviderParts {
  readonly world: World
  /** The way to a plugin; over its socket unless told otherwise. */
  readonly connectKms?: (kms: Kms) => KmsClient
  /** Loaded beforehand; else what is configured is loaded when it is. */
  readonly ciphers?: Ciphers
  /** The same for a KMS, with the way to its plugin. */
  readonly kmsProvider?: typeof KmsProvider
}

/**
 * Makes what a configuration names. A KMS lives on as long as the configuration in force names it, or the next one, or one
 * before it that somebody may rely on.
 */
export class Providers {
  readonly #parts: ProviderParts
  readonly #makers: Map<KeyedProvider, MakeKey>
  readonly #kms = new Map<string, { readonly provider: KmsProvider; lookedMs: number }>()
  /** Names of those that the configuration in force has. */
  #inForce: ReadonlySet<string> = new Set()
  /** And of those that were in force before, as long as somebody may have relied on it. */
  #former: ReadonlySet<string> = new Set()
  readonly #polling = new Map<string, AbortController>()
  #running: AbortSignal | undefined
  onChange: () => void = () => {}

  constructor(parts: ProviderParts) {
    this.#parts = parts
    this.#makers = new Map(Object.entries(parts.ciphers ?? {}) as [KeyedProvider, MakeKey][])
  }

  /**
   * Loads what the configuration needs, and asks each KMS how it is that nobody polls. Not only one that is new: a file may
   * name a plugin before it is up, and is refused until it is; or be refused for another reason while its plugin dies.
   */
  async prepare(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<void> {
    const named = configuration.rules.flatMap(({ providers }) => providers)
    for (const { kind } of named) if (kind !== 'identity' && kind !== 'kms') await this.#load(kind)
    const kms = kmsOf(configuration)
    this.#dropBut(new Set([...this.#inForce, ...this.#former, ...kms.keys()]))
    const unpolled = [...kms].filter(([name]) => !this.#polling.has(name))
    await Promise.all(unpolled.map(([name, each]) => this.#look(name, each, signal)))
  }

  /** Every KMS of the configuration, without a wait: none was asked yet, as if each plugin were down. */
  addLoaded(configuration: EncryptionConfiguration): void {
    const { kmsProvider, connectKms } = this.#parts
    if (!kmsProvider || !connectKms) return
    for (const [name, kms] of kmsOf(configuration)) this.#add(name, kms, connectKms(kms), kmsProvider)
  }

  /** One for each key; those of a KMS are its own affair. */
  of(configuration: ProviderConfiguration): readonly Provider[] {
    switch (configuration.kind) {
      case 'identity':
        return [plainProvider]
      case 'kms': {
        const found = this.#kms.get(nameOf(configuration))
        return found ? [found.provider] : []
      }
      default: {
        const make = this.#makers.get(configuration.kind)
        const { random } = this.#parts.world
        return make ? configuration.keys.map((each) => providerOf(make(each, random))) : []
      }
    }
  }

  /** It is in force: its KMS are polled, and no others are kept but those of the ones before. */
  keepOnly(configuration: EncryptionConfiguration, former: readonly EncryptionConfiguration[] = []): void {
    this.#inForce = new Set(kmsOf(configuration).keys())
    this.#former = new Set(former.flatMap((each) => [...kmsOf(each).keys()]))
    for (const [name, polling] of this.#polling) {
      if (this.#inForce.has(name)) continue
      polling.abort(new Error('configured no more'))
      this.#polling.delete(name)
    }
    this.#dropBut(new Set([...this.#inForce, ...this.#former]))
    if (!this.#running) return
    for (const name of this.#inForce) this.#poll(name, this.#running)
  }

  run(configuration: EncryptionConfiguration, signal: AbortSignal): void {
    this.#running = signal
    this.keepOnly(configuration)
  }

  lookFor(key: KeyId): void {
    for (const { provider } of this.#kms.values()) provider.lookFor(key)
  }

  problemsOf(configuration: EncryptionConfiguration): readonly string[] {
    return [...kmsOf(configuration).keys()].flatMap((name) => this.#kms.get(name)?.provider.problem ?? [])
  }

  #poll(name: string, signal: AbortSignal): void {
    const kms = this.#kms.get(name)?.provider
    if (!kms || this.#polling.has(name)) return
    const polling = new AbortController()
    this.#polling.set(name, polling)
    const end = (): void => polling.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    void kms.run(polling.signal).finally(() => signal.removeEventListener('abort', end))
  }

  async #load(kind: KeyedProvider): Promise<void> {
    if (!this.#makers.has(kind)) this.#makers.set(kind, await loadCipher(kind))
  }

  async #look(name: string, kms: Kms, signal: AbortSignal): Promise<void> {
    const looked = this.#kms.get(name) ?? (await this.#addKms(name, kms))
    const nowMs = this.#parts.world.clock.monotonicMs()
    if (nowMs - looked.lookedMs < lookAgainMs) return
    looked.lookedMs = nowMs
    const { provider } = looked
    await provider.check(signal)
    // Whoever is in force keeps its connection; this one may never be.
    if (!this.#inForce.has(name)) provider.disconnect()
  }

  async #addKms(name: string, kms: Kms) {
    const { world, connectKms, kmsProvider } = this.#parts
    if (kmsProvider && connectKms) return this.#add(name, kms, connectKms(kms), kmsProvider)
    const { KmsProvider } = await import('./kms/kms-provider.ts')
    const { createKmsClient } = await import('./kms/kms-client.ts')
    const client = connectKms?.(kms) ?? createKmsClient(kms.socket, kms.timeoutMs, world.clock)
    return this.#add(name, kms, client, KmsProvider)
  }

  #add(name: string, kms: Kms, client: KmsClient, Made: typeof KmsProvider) {
    const provider = new Made(kms.name, client, this.#parts.world)
    provider.onChange = () => {
      if (this.#inForce.has(name)) this.onChange()
    }
    const added = { provider, lookedMs: Number.NEGATIVE_INFINITY }
    this.#kms.set(name, added)
    return added
  }

  /** What a ring still holds of them can be opened as before: they connect again when they are asked. */
  #dropBut(kept: ReadonlySet<string>): void {
    for (const [name, { provider }] of this.#kms) {
      if (kept.has(name)) continue
      this.#kms.delete(name)
      provider.disconnect()
    }
  }
}

/** The same name elsewhere is another plugin. */
const nameOf = ({ name, socket, timeoutMs }: Kms): string => `${name} ${timeoutMs} ${socket}`

/** Each once, by its name. */
function kmsOf({ rules }: EncryptionConfiguration): ReadonlyMap<string, Kms> {
  const named = rules.flatMap(({ providers }) => providers).filter((each) => each.kind === 'kms')
  return new Map(named.map((each) => [nameOf(each), each]))
}

function providerOf(key: SealingKey): Provider {
  return { readers: [key], writers: [key], readable: [key.id] }
}
