import { type GroupResource, type KeyRule, plainKey } from '@strata/api'

/** The keys of one resource that a server has, by the names that records know them by (rule 17). */
export interface KeysOfResource {
  /** What it would write under if it were alone; undefined while it cannot write under that. */
  readonly preferred: string | undefined
  /** Everything that it can write under, what it prefers first. */
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Can be read as well, and is to be forgotten as soon as nobody needs it. */
  readonly retired: readonly string[]
}

/** How agreement sees encryption. */
export interface ServerKeys {
  of(resource: GroupResource): KeysOfResource
  /** By what it reads and writes whatever resource may come, for its Lease. */
  rules(): readonly KeyRule[]
  /** The record says that this server reads these: what else it has been told to forget, it may. */
  published(resource: GroupResource, readable: readonly string[]): void
  /** Another server names a key that this one has not heard of. */
  lookFor(key: string): void
}

/** Of a server that encrypts nothing. */
export const noKeys: ServerKeys = {
  of: () => plainKeys,
  rules: () => [],
  published: () => {},
  lookFor: () => {},
}

const plainKeys: KeysOfResource = {
  preferred: plainKey,
  writable: [plainKey],
  readable: [plainKey],
  retired: [],
}
