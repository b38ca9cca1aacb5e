import type { World } from '@strata/world'
import type {
  EncryptionConfiguration,
  KeyConfiguration,
  KeyedProvider,
  ProviderConfiguration,
} from './configuration.ts'
import type { KeyId } from './key-id.ts'
import { type Provider, plainProvider } from './key-ring.ts'
import type { KmsClient } from './kms/kms-client.ts'
import type { KmsProvider } from './kms/kms-provider.ts'
import type { SealingKey } from './sealing-key.ts'

type Kms = ProviderConfiguration & { readonly kind: 'kms' }

/** How providers reach what is outside. */
export interface ProviderParts {
  readonly world: World
  /** The way to a plugin; over its socket unless told otherwise. */
  readonly connectKms?: (kms: Kms) => KmsClient
}

type MakeKey = (key: KeyConfiguration) => SealingKey

/** Makes what a configuration names. A KMS lives on as long as some configuration in force names it. */
export class Providers {
  readonly #parts: ProviderParts
  readonly #makers = new Map<KeyedProvider, MakeKey>()
  readonly #kms = new Map<string, KmsProvider>()
  readonly #polling = new Map<string, AbortController>()
  #running: AbortSignal | undefined
  onChange: () => void = () => {}

  constructor(parts: ProviderParts) {
    this.#parts = parts
  }

  /** Loads what the configuration needs, and has each new KMS asked once: most answer at once. */
  async prepare({ rules }: EncryptionConfiguration, signal: AbortSignal): Promise<void> {
    const named = rules.flatMap(({ providers }) => providers)
    for (const { kind } of named) if (kind !== 'identity' && kind !== 'kms') await this.#load(kind)
    const kms = named.filter((each) => each.kind === 'kms').filter((each) => !this.#kms.has(nameOf(each)))
    await Promise.all(kms.map((each) => this.#addKms(each, signal)))
  }

  /** One for each key; those of a KMS are its own affair. */
  of(configuration: ProviderConfiguration): readonly Provider[] {
    switch (configuration.kind) {
      case 'identity':
        return [plainProvider]
      case 'kms': {
        const found = this.#kms.get(nameOf(configuration))
        return found ? [found] : []
      }
      default: {
        const make = this.#makers.get(configuration.kind)
        return make ? configuration.keys.map((each) => providerOf(make(each))) : []
      }
    }
  }

  /** Polls the KMS of this configuration, and no other. */
  keepOnly({ rules }: EncryptionConfiguration): void {
    const wanted = new Set(rules.flatMap(({ providers }) => providers.flatMap(kmsName)))
    for (const [name, polling] of this.#polling) {
      if (wanted.has(name)) continue
      polling.abort(new Error('configured no more'))
      this.#polling.delete(name)
    }
    if (!this.#running) return
    for (const name of wanted) this.#poll(name, this.#running)
  }

  run(configuration: EncryptionConfiguration, signal: AbortSignal): void {
    this.#running = signal
    this.keepOnly(configuration)
  }

  lookFor(key: KeyId): void {
    for (const each of this.#kms.values()) each.lookFor(key)
  }

  problemsOf({ rules }: EncryptionConfiguration): readonly string[] {
    const wanted = new Set(rules.flatMap(({ providers }) => providers.flatMap(kmsName)))
    return [...wanted].flatMap((name) => this.#kms.get(name)?.problem ?? [])
  }

  #poll(name: string, signal: AbortSignal): void {
    const kms = this.#kms.get(name)
    if (!kms || this.#polling.has(name)) return
    const polling = new AbortController()
    this.#polling.set(name, polling)
    const end = (): void => polling.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    void kms.run(polling.signal).finally(() => signal.removeEventListener('abort', end))
  }

  async #load(kind: KeyedProvider): Promise<void> {
    if (this.#makers.has(kind)) return
    const { random } = this.#parts.world
    // Only what is configured is loaded: most servers encrypt nothing, and those that do, in one way.
    if (kind === 'aescbc') {
      const { createAesCbc } = await import('./aes-cbc.ts')
      this.#makers.set(kind, (key) => createAesCbc(key, random))
    } else if (kind === 'aesgcm') {
      const { createAesGcm } = await import('./aes-gcm.ts')
      this.#makers.set(kind, (key) => createAesGcm(key, random))
    } else {
      const { createSecretbox } = await import('./secretbox.ts')
      this.#makers.set(kind, (key) => createSecretbox(key, random))
    }
  }

  async #addKms(kms: Kms, signal: AbortSignal): Promise<void> {
    const { world, connectKms } = this.#parts
    const { KmsProvider } = await import('./kms/kms-provider.ts')
    const { createKmsClient } = await import('./kms/kms-client.ts')
    const client = connectKms?.(kms) ?? createKmsClient(kms.socket, kms.timeoutMs, world.clock)
    const provider = new KmsProvider(kms.name, client, world)
    this.#kms.set(nameOf(kms), provider)
    await provider.check(signal)
    provider.onChange = () => this.onChange()
  }
}

/** The same name elsewhere is another plugin. */
const nameOf = ({ name, socket, timeoutMs }: Kms): string => `${name} ${timeoutMs} ${socket}`
const kmsName = (each: ProviderConfiguration): string[] => (each.kind === 'kms' ? [nameOf(each)] : [])

function providerOf(key: SealingKey): Provider {
  return { readers: [key], writers: [key], readable: [key.id] }
}
