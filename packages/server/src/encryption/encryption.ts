import { type GroupResource, groupResourceText, type KeyRule } from '@strata/api'
import type { EncryptionConfiguration, ProviderConfiguration } from './configuration.ts'
import { identityKey, type KeyId } from './key-id.ts'
import { KeyRing } from './key-ring.ts'
import { type ProviderParts, Providers } from './providers.ts'
import { providersOf } from './rule-of.ts'

/** The keys of one resource, as this server has them. */
export interface ResourceKeys {
  /** The key that this server would write with if it were alone; undefined while a KMS has not answered. */
  readonly preferred: KeyId | undefined
  readonly writable: readonly KeyId[]
  readonly readable: readonly KeyId[]
  /** Removed from the configuration, and kept until all servers can do without. */
  readonly retired: readonly KeyId[]
}

const plainKeys: ResourceKeys = {
  preferred: identityKey,
  writable: [identityKey],
  readable: [identityKey],
  retired: [],
}

interface Parts extends ProviderParts {
  /** The kinds of agreement, which are never encrypted (docs/design/agreement.md, rule 0). */
  readonly isPlain: (resource: GroupResource) => boolean
}

/** A configuration in force: the keys by which each resource is opened and sealed. */
export class Encryption {
  readonly #providers: Providers
  readonly #isPlain: Parts['isPlain']
  #configuration: EncryptionConfiguration
  /**
   * Previous configurations whose keys the Lease may still name: other servers may rely on them for a resource that is new here.
   */
  #former: readonly EncryptionConfiguration[] = []
  #rings = new Map<string, { readonly resource: GroupResource; readonly ring: KeyRing }>()
  readonly #listeners = new Set<() => void>()

  private constructor(
    configuration: EncryptionConfiguration,
    providers: Providers,
    isPlain: Parts['isPlain'],
  ) {
    this.#configuration = configuration
    this.#providers = providers
    this.#isPlain = isPlain
    providers.onChange = () => this.#tell()
    providers.keepOnly(configuration)
  }

  static async create(
    configuration: EncryptionConfiguration,
    parts: Parts,
    signal: AbortSignal,
  ): Promise<Encryption> {
    const providers = new Providers(parts)
    await providers.prepare(configuration, signal)
    return new Encryption(configuration, providers, parts.isPlain)
  }

  /** Creates it synchronously from loaded ciphers. A KMS, if it is loaded too, has not been called yet. */
  static createLoaded(
    configuration: EncryptionConfiguration,
    parts: Parts & Required<Pick<ProviderParts, 'ciphers'>>,
  ): Encryption {
    const providers = new Providers(parts)
    providers.addLoaded(configuration)
    return new Encryption(configuration, providers, parts.isPlain)
  }

  /** Calls the listener when keys are added or removed, or a KMS answers again. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** The problem of the configured KMS plugins, for operators. */
  get problem(): string | undefined {
    const problems = this.#providers.problemsOf(this.#configuration)
    return problems.length === 0 ? undefined : problems.join('; ')
  }

  /** Undefined for kinds that are never encrypted. */
  ringOf(resource: GroupResource): KeyRing | undefined {
    if (this.#isPlain(resource)) return undefined
    const name = groupResourceText(resource)
    const known = this.#rings.get(name)
    if (known) return known.ring
    const ring = this.#ringIn(this.#configuration, resource)
    const former = this.#former.flatMap((each) => providersOf(each, resource))
    if (former.length > 0) ring.keep(this.#ringFrom(former))
    const { group, resource: plural } = resource
    this.#rings.set(name, { resource: { group, resource: plural }, ring })
    return ring
  }

  /** The keys in the form that agreement uses (docs/design/agreement.md, rule 17). */
  get serverKeys() {
    return {
      of: (resource: GroupResource): ResourceKeys => this.keysOf(resource),
      rules: (): readonly KeyRule[] => this.keyRules,
      published: (resource: GroupResource, readable: readonly KeyId[]): void =>
        this.published(resource, readable),
      lookFor: (key: KeyId): void => this.#lookFor(key),
    }
  }

  /** The configured rules, for other servers: names of keys, and no secrets. */
  get keyRules(): readonly KeyRule[] {
    return this.#configuration.rules.map(({ resources, providers }) => {
      const { preferred, readable } = this.#ringFrom(providers)
      return { resources, ...(preferred === undefined ? {} : { writes: preferred }), reads: readable }
    })
  }

  keysOf(resource: GroupResource): ResourceKeys {
    const ring = this.ringOf(resource)
    if (!ring) return plainKeys
    const { preferred, writable, readable, retired } = ring
    return { preferred, writable, readable, retired }
  }

  /** The keys of each resource that this server could read by another configuration. Its providers are kept from now on. */
  async readableBy(
    configuration: EncryptionConfiguration,
    signal: AbortSignal,
  ): Promise<(resource: GroupResource) => readonly KeyId[]> {
    await this.#providers.prepare(configuration, signal)
    return (resource) =>
      this.#isPlain(resource) ? plainKeys.readable : this.#ringIn(configuration, resource).readable
  }

  /** The problem of the KMS plugins of a configuration that is not in force yet. */
  problemOf(configuration: EncryptionConfiguration): string | undefined {
    const problems = this.#providers.problemsOf(configuration)
    return problems.length === 0 ? undefined : problems.join('; ')
  }

  /**
   * Puts another configuration in force. Keys that it lacks can still be opened until `published` reports that all servers know:
   * a server may have written with them a moment ago.
   */
  async replace(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<void> {
    await this.#providers.prepare(configuration, signal)
    const before = this.#rings
    this.#former = [...this.#former, this.#configuration]
    this.#configuration = configuration
    this.#rings = new Map()
    for (const { resource, ring } of before.values()) this.ringOf(resource)?.keep(ring)
    this.#providers.keepOnly(configuration, this.#former)
    this.#tell()
  }

  /**
   * The Lease names only the active keys now. Other servers can have relied on its earlier content only for these resources: they
   * keep their keys, and new resources start without them.
   */
  forgetFormer(resources: readonly GroupResource[]): void {
    for (const each of resources) this.ringOf(each)
    this.#former = []
    this.#providers.keepOnly(this.#configuration)
  }

  /** All servers know by now that this one reads `readable`: every other key is dropped. */
  published(resource: GroupResource, readable: readonly KeyId[]): void {
    this.ringOf(resource)?.forgetBut(readable)
  }

  /** Another server knows a KMS key that this one does not. */
  #lookFor(key: KeyId): void {
    if (!key.endsWith(':*')) this.#providers.lookFor(key)
  }

  run(signal: AbortSignal): void {
    this.#providers.run(this.#configuration, signal)
  }

  #ringIn(configuration: EncryptionConfiguration, resource: GroupResource): KeyRing {
    return this.#ringFrom(providersOf(configuration, resource))
  }

  #ringFrom(providers: readonly ProviderConfiguration[]): KeyRing {
    return new KeyRing(providers.flatMap((each) => this.#providers.of(each)))
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
