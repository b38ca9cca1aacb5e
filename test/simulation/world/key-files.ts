import {
  builtInResources,
  Encryption,
  type EncryptionConfiguration,
  frozenAmong,
  loadCiphers,
  loadKms,
} from '@strata/server'
import type { Change } from '@strata/server/store'
import type { World } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { configurationOf } from '../../support/encrypted-fleet.ts'
import { customGroup, isClientKey } from '../keys.ts'
import { isUnderKms, kmsName, openKmsValue, type SimulatedKms } from './kms.ts'

/** All keys there are, as `configurationOf` has them. Two have one name, and are two: their secrets differ. */
export const worldKeys = [
  'aesgcm:one',
  'aesgcm:one:again',
  'secretbox:three',
  'aescbc:two',
  'identity',
] as const

/** The same where a KMS holds some of them. */
export const worldKeysWithKms = [`kms:${kmsName}`, 'aesgcm:one', 'secretbox:three', 'identity'] as const

/** Beforehand: within a world there is nothing to wait for but its own events. */
const ciphers = await loadCiphers()
const kmsProvider = await loadKms()
const isPlain = frozenAmong(builtInResources)

/** What clients write is encrypted, and nothing else. */
const encrypted = ['configmaps', 'resourcequotas', '*.lighthouse.example.dev', `*.${customGroup}`]
const example = { group: '', resource: 'configmaps' }

const configurations = new Map<string, EncryptionConfiguration>()
export function configurationFor(keys: readonly string[]): EncryptionConfiguration {
  const known = configurations.get(keys.join())
  if (known) return known
  const configuration = configurationOf(keys, encrypted)
  configurations.set(keys.join(), configuration)
  return configuration
}

type Connect = (world: World) => ReturnType<SimulatedKms['connect']>

/** A server's, by what its file says now. */
export function createEncryption(world: World, keys: readonly string[], connect?: Connect): Encryption {
  const kms = connect ? { kmsProvider, connectKms: () => connect(world) } : {}
  return Encryption.createLoaded(configurationFor(keys), { world, isPlain, ciphers, ...kms })
}

/** The keys that a server can open something with, as records name them. */
export const readableIn = (encryption: Encryption): readonly string[] => encryption.keysOf(example).readable

/** What can be opened by a file. */
export const readableBy = (encryption: Encryption, keys: readonly string[], signal: AbortSignal) =>
  encryption.readableBy(configurationFor(keys), signal).then((of) => of(example))

/**
 * The file of each instance, in which an operator writes and which servers look at; and what only the simulation can do
 * with it.
 */
export class KeyFiles {
  readonly #files = new Map<string, readonly string[]>()
  readonly #first: readonly string[]
  readonly #eye: World
  readonly #all: Encryption
  readonly #ids = new Map<string, string>()
  /** All keys there are. */
  readonly keys: readonly [string, ...string[]]
  /** Where one of them is a KMS. */
  readonly kms: SimulatedKms | undefined

  constructor(simulation: Simulation, first: readonly string[], kms?: SimulatedKms) {
    this.#first = first
    this.kms = kms
    this.keys = kms ? worldKeysWithKms : worldKeys
    this.#eye = simulation.process('eye', { host: 'nowhere' })
    this.#all = createEncryption(this.#eye, worldKeys)
  }

  of(instance: string): readonly string[] {
    return this.#files.get(instance) ?? this.#first
  }

  /** A twin has the file of its instance, unless one is written for it alone. */
  fileOf(name: string, instance: string): string {
    return this.#files.has(name) ? name : instance
  }

  write(instance: string, keys: readonly string[]): void {
    this.#files.set(instance, keys)
  }

  /** The encryption of a server, by its file. */
  encryptionOf(instance: string, world: World): Encryption {
    const { kms } = this
    return createEncryption(world, this.of(instance), kms && ((from) => kms.connect(instance, from)))
  }

  /** As records name it. */
  idOf(key: string): string {
    if (this.kms && key.startsWith('kms:')) return this.kms.currentId
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = createEncryption(this.#eye, [key]).keysOf(example).preferred ?? key
    this.#ids.set(key, id)
    return id
  }

  /** What was stored, in the clear, and the key that it was really under. */
  opened(change: Change): Change {
    if (change.kind !== 'put' || !isClientKey(change.key)) return change
    if (isUnderKms(change.value)) return { ...change, ...openKmsValue(change.value, change.key) }
    const opened = this.#all.ringOf(example)?.open(change.value, change.key)
    if (opened === undefined || opened instanceof Promise) throw new Error(`${change.key} cannot be opened`)
    const { value, under } = opened
    return { ...change, value, under }
  }
}
