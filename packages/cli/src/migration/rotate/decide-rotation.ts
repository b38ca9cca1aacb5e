import { keyWaitsOf, keyWaitText, nameSome, opensKey, plainKey, unknownKey } from '@strata/api'
import { isKey, keyTextOf, shortKey } from './key-text.ts'

/** The keys of one server for one resource, as its entry in the record states them. */
export interface KeyedServer {
  readonly serverID: string
  readonly name: string
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  readonly wantedKey?: string | undefined
  readonly keyProblem?: string | undefined
}

/** One resource that is, was or will be encrypted. */
export interface KeyedResource {
  readonly resource: string
  readonly servers: readonly KeyedServer[]
  /** Keys that stored objects may be under; contains `Unknown` if that list may be incomplete. Shrinks only by proof. */
  readonly persistedKeys: readonly string[]
  /** Whether every write is guarded by the record: without that nothing about it is proven. */
  readonly isFenced: boolean
}

export interface RotationFacts {
  readonly resources: readonly KeyedResource[]
  /** The key to rotate to, as the user names it. */
  readonly to: string | undefined
  /** Servers that rejected their changed file and go on with the previous one. */
  readonly rejecting: readonly string[]
}

export type RotationStep =
  /** Nothing is encrypted, or it is not clear which key is the new one. */
  | { readonly step: 'begin'; readonly because: string }
  /** Something has to be put right first. */
  | { readonly step: 'blocked'; readonly because: string }
  /** The operator gives every server the new key, to read with. */
  | { readonly step: 'add'; readonly to: string; readonly servers: readonly string[] }
  /** The operator puts the new key first. */
  | { readonly step: 'promote'; readonly to: string; readonly servers: readonly string[] }
  /** The servers agree on it by themselves. */
  | { readonly step: 'agree'; readonly to: string; readonly because: string }
  /** Objects may be under other keys. */
  | { readonly step: 'rewrite'; readonly to: string; readonly resources: readonly string[] }
  /** Nothing is under these keys any more: the operator takes them out of the files. */
  | {
      readonly step: 'drop'
      readonly to: string
      readonly keys: readonly string[]
      readonly servers: readonly string[]
    }
  | { readonly step: 'done'; readonly to: string }

/** The order of the steps: the first one that is open for any resource is next. */
const rotationSteps = ['add', 'promote', 'agree', 'rewrite', 'blocked', 'drop', 'done'] as const

/** Where a rotation is, and what is next. Nothing is remembered: each run sees it by the servers and their records. */
export function decideRotation({ resources, to: wanted, rejecting }: RotationFacts): RotationStep {
  if (resources.length === 0)
    return {
      step: 'begin',
      because:
        'nothing is encrypted. To begin, name the resources and a key, for instance: strata rotate-keys secrets --to aesgcm:key1',
    }
  const problems = [...new Set(resources.flatMap(({ servers }) => servers.flatMap(problemOf)))]
  if (problems.length > 0) return { step: 'blocked', because: problems.join('; ') }
  const chosen = chooseKey(resources, wanted)
  if (chosen.kind !== 'key') return { step: chosen.kind, because: chosen.because }
  const { to } = chosen
  const steps = resources.map((each) => stepOf(each, to))
  for (const step of rotationSteps) {
    const open = steps.filter((each) => each.step === step)
    if (open.length > 0) return joined(open, rejecting)
  }
  return { step: 'done', to }
}

const problemOf = ({ name, keyProblem }: KeyedServer): string[] =>
  keyProblem === undefined ? [] : [`${name}: ${keyProblem}`]

type Chosen =
  | { readonly kind: 'key'; readonly to: string }
  | { readonly kind: 'begin' | 'blocked'; readonly because: string }

/** The new key: the one that is named; else the one that servers wait for, or write under while older ones are stored. */
function chooseKey(resources: readonly KeyedResource[], wanted: string | undefined): Chosen {
  const servers = resources.flatMap((each) => each.servers)
  const known = [
    ...new Set(
      servers.flatMap((each) => [
        each.writeKey,
        ...each.readableKeys,
        ...(each.wantedKey ? [each.wantedKey] : []),
      ]),
    ),
  ]
  if (wanted !== undefined) {
    const matching = known.filter((each) => isKey(each, wanted))
    if (matching.length > 1)
      return {
        kind: 'blocked',
        because: `servers have different secrets under one name (${matching.join(', ')}): give all of them the same`,
      }
    return { kind: 'key', to: matching[0] ?? completed(wanted, servers) }
  }
  const waiting = [
    ...new Set(servers.flatMap(({ wantedKey }) => (wantedKey === undefined ? [] : [wantedKey]))),
  ]
  const [first, ...others] = waiting
  if (first !== undefined && others.length === 0) return { kind: 'key', to: first }
  if (others.length > 0)
    return {
      kind: 'begin',
      because: `servers wait for different keys (${waiting.join(', ')}): name the new one with --to`,
    }
  const written = [...new Set(servers.map(({ writeKey }) => writeKey))]
  const [key, ...more] = written
  if (key === undefined || more.length > 0)
    return { kind: 'begin', because: `servers write with ${written.join(', ')}: name the new one with --to` }
  const isRotating = resources.some(({ persistedKeys }) => persistedKeys.some((each) => each !== key))
  const besides = known.filter((each) => each !== key && each !== plainKey)
  if (isRotating || (besides.length === 0 && key !== plainKey)) {
    if (isRotating) return { kind: 'key', to: key }
    return {
      kind: 'begin',
      because: `everything is under ${key}, and no server has another key: name a new one with --to, for instance --to ${nextKey(key)}`,
    }
  }
  if (besides.length === 0)
    return {
      kind: 'begin',
      because: 'nothing is encrypted: name a new key with --to, for instance --to aesgcm:key1',
    }
  return {
    kind: 'begin',
    because: `everything is under ${key}. If ${nameSome(besides)} is old, run it with --to ${shortKey(key)}; if it is new, with --to ${shortKey(besides[0] ?? '')}`,
  }
}

/** A key that no server has yet. Without a provider, that of the key that is written with now. */
function completed(wanted: string, servers: readonly KeyedServer[]): string {
  if (wanted.includes(':') || wanted === plainKey) return wanted
  const provider = keyTextOf(servers.find(({ writeKey }) => writeKey !== plainKey)?.writeKey ?? '').provider
  return `${provider === '' ? 'aesgcm' : provider}:${wanted}`
}

/** `aesgcm:key2` after `aesgcm:key1:3f9a…`. */
function nextKey(key: string): string {
  const { provider, name } = keyTextOf(key)
  const [, stem = name, number = '1'] = /^(.*?)(\d+)$/.exec(name) ?? []
  return `${provider}:${stem}${Number(number) + 1}`
}

function stepOf({ resource, servers, persistedKeys, isFenced }: KeyedResource, to: string): RotationStep {
  const named = (isOf: (server: KeyedServer) => boolean): string[] =>
    servers.filter(isOf).map(({ name }) => name)
  const lacking = named(({ readableKeys }) => !readableKeys.some((each) => isKey(each, to)))
  if (lacking.length > 0) return { step: 'add', to, servers: lacking }
  const reluctant = named(
    ({ writeKey, wantedKey }) => !isKey(writeKey, to) && !(wantedKey !== undefined && isKey(wantedKey, to)),
  )
  if (reluctant.length > 0) return { step: 'promote', to, servers: reluctant }
  const waiting = servers.filter(({ writeKey }) => !isKey(writeKey, to))
  if (waiting.length > 0) {
    const waits = keyWaitsOf(
      servers.map(({ wantedKey, ...each }) => ({
        ...each,
        ...(wantedKey === undefined ? {} : { wantedKey }),
      })),
    )
    const nameOf = (id: string): string => servers.find(({ serverID }) => serverID === id)?.name ?? id
    return {
      step: 'agree',
      to,
      because: waits.map((each) => `${resource}: ${keyWaitText(each, nameOf)}`).join('; '),
    }
  }
  if (persistedKeys.some((each) => !isKey(each, to))) return { step: 'rewrite', to, resources: [resource] }
  if (!isFenced)
    return {
      step: 'blocked',
      because: `${resource}: writes are not guarded by its record, so nothing about its keys is proven`,
    }
  const keys = [...new Set(servers.flatMap(({ readableKeys }) => readableKeys))].filter((each) =>
    isOld(each, to),
  )
  return keys.length > 0
    ? {
        step: 'drop',
        to,
        keys,
        servers: named(({ readableKeys }) => readableKeys.some((each) => keys.includes(each))),
      }
    : { step: 'done', to }
}

/** Reading what is not encrypted is no key, and harms nothing. A KMS opens its earlier keys by itself. */
const isOld = (key: string, to: string): boolean =>
  key !== plainKey && !isKey(key, to) && !opensKey([key], to)

function joined(open: readonly RotationStep[], rejecting: readonly string[]): RotationStep {
  const [first] = open
  const all = <T>(pick: (step: RotationStep) => readonly T[]): T[] => [...new Set(open.flatMap(pick))]
  const servers = all((each) => ('servers' in each ? each.servers : []))
  switch (first?.step) {
    case 'add':
    case 'promote':
      return { ...first, servers }
    case 'agree':
      return { ...first, because: all((each) => (each.step === 'agree' ? [each.because] : [])).join('; ') }
    case 'rewrite':
      return { ...first, resources: all((each) => (each.step === 'rewrite' ? each.resources : [])) }
    case 'drop':
      if (rejecting.length > 0)
        return {
          step: 'blocked',
          because: `${rejecting.join(', ')} rejected the changed file: /readyz/encryption-provider-config there says why`,
        }
      return { ...first, servers, keys: all((each) => (each.step === 'drop' ? each.keys : [])) }
    default:
      return first ?? { step: 'begin', because: 'nothing is encrypted' }
  }
}

/** Why a key may not leave the files yet, although the chosen resources are done: other resources may be under it. */
export function stillNeededBy(keys: readonly string[], all: readonly KeyedResource[]): readonly string[] {
  return all.flatMap(({ resource, persistedKeys, servers, isFenced }) => {
    const writing = servers.flatMap(({ writeKey, wantedKey }) => [writeKey, wantedKey ?? writeKey])
    // A KMS is read as a whole, and names each of its keys where it writes.
    const used = keys.filter((key) => [...persistedKeys, ...writing].some((each) => opensKey([key], each)))
    if (used.length > 0) return [`${resource} may have objects under ${used.join(', ')}`]
    const isUnknown =
      (persistedKeys.includes(unknownKey) || !isFenced) &&
      servers.some(({ readableKeys }) => keys.some((key) => readableKeys.includes(key)))
    return isUnknown ? [`it is unknown under which keys objects of ${resource} are`] : []
  })
}
