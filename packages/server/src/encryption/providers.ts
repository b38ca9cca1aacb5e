import type { World } from '@strata/world'
import { type Ciphers, loadCipher, type MakeKey } from './ciphers.ts'
import type { EncryptionConfiguration, KeyedProvider, ProviderConfiguration } from './configuration.ts'
import type { KeyId } from './key-id.ts'
import { type Provider, plainProvider } from './key-ring.ts'
import type { KmsClient } from './kms/kms-client.ts'
import type { KmsProvider } from './kms/kms-provider.ts'
import type { SealingKey } from './sealing-key.ts'

type Kms = ProviderConfiguration & { readonly kind: 'kms' }

/** A refused file is retried once a second; a KMS that only it names is checked less often. */
const lookAgainMs = 5_000

/** The external parts of providers. */
export interface ProviderParts {
  readonly world: World
  /** Connects to a plugin; by default over its socket. */
  readonly connectKms?: (kms: Kms) => KmsClient
  /** Loaded in advance; otherwise ciphers are loaded when they are configured. */
  readonly ciphers?: Ciphers
  /** The same for a KMS, with the connection to its plugin. */
  readonly kmsProvider?: typeof KmsProvider
}

/**
 * Creates the providers of a configuration. A KMS is kept as long as the active configuration names it, or the next one, or an
 * earlier one that other servers may rely on.
 */
export class Providers {
  readonly #parts: ProviderParts
  readonly #makers: Map<KeyedProvider, MakeKey>
  readonly #kms = new Map<string, { readonly provider: KmsProvider; lookedMs: number }>()
  /** The names of the active configuration's providers. */
  #inForce: ReadonlySet<string> = new Set()
  /** The names of earlier providers, as long as other servers may rely on them. */
  #former: ReadonlySet<string> = new Set()
  readonly #polling = new Map<string, AbortController>()
  #running: AbortSignal | undefined
  onChange: () => void = () => {}

  constructor(parts: ProviderParts) {
    this.#parts = parts
    this.#makers = new Map(Object.entries(parts.ciphers ?? {}) as [KeyedProvider, MakeKey][])
  }

  /**
   * Loads the ciphers of the configuration, and checks each KMS that is not polled. Not only new ones: a file may name a plugin
   * before it is up, and is refused until then; or the file is refused for another reason while its plugin dies.
   */
  async prepare(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<void> {
    const named = configuration.rules.flatMap(({ providers }) => providers)
    for (const { kind } of named) if (kind !== 'identity' && kind !== 'kms') await this.#load(kind)
    const kms = kmsOf(configuration)
    this.#dropBut(new Set([...this.#inForce, ...this.#former, ...kms.keys()]))
    const unpolled = [...kms].filter(([name]) => !this.#polling.has(name))
    await Promise.all(unpolled.map(([name, each]) => this.#look(name, each, signal)))
  }

  /** Adds every KMS of the configuration without calling it, as if each plugin were down. */
  addLoaded(configuration: EncryptionConfiguration): void {
    const { kmsProvider, connectKms } = this.#parts
    if (!kmsProvider || !connectKms) return
    for (const [name, kms] of kmsOf(configuration)) this.#add(name, kms, connectKms(kms), kmsProvider)
  }

  /** One provider per key; a KMS manages its own keys. */
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

  /** The configuration is in force: its KMS plugins are polled, and only those of earlier configurations are kept besides. */
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
    // A KMS in force keeps its connection; this one may never be in force.
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

  /** A ring can still open values with a dropped KMS: it connects again when it is called. */
  #dropBut(kept: ReadonlySet<string>): void {
    for (const [name, { provider }] of this.#kms) {
      if (kept.has(name)) continue
      this.#kms.delete(name)
      provider.disconnect()
    }
  }
}

/** The same name with another socket is another plugin. With another timeout, it gets a new client. */
const nameOf = ({ name, socket, timeoutMs }: Kms): string => `${name} ${timeoutMs} ${socket}`

/** Each once, by its name. */
function kmsOf({ rules }: EncryptionConfiguration): ReadonlyMap<string, Kms> {
  const named = rules.flatMap(({ providers }) => providers).filter((each) => each.kind === 'kms')
  return new Map(named.map((each) => [nameOf(each), each]))
}

function providerOf(key: SealingKey): Provider {
  return { readers: [key], writers: [key], readable: [key.id] }
}
