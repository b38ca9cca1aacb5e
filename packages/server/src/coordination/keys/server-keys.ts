import { type GroupResource, type KeyRule, plainKey } from '@strata/api'

/** The keys that a server has for one resource, by their names in records (rule 17). */
export interface KeysOfResource {
  /** The key at the first place of its configuration; undefined while it cannot write under it. */
  readonly preferred: string | undefined
  /** The keys that it can write under, the preferred one first. */
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Keys that were removed from the configuration. They are readable until no object needs them. */
  readonly retired: readonly string[]
}

/** The interface of encryption for agreement. */
export interface ServerKeys {
  of(resource: GroupResource): KeysOfResource
  /** The keys by resource, for the Lease. */
  rules(): readonly KeyRule[]
  /** The record names these keys as readable here: other retired keys may be forgotten. */
  published(resource: GroupResource, readable: readonly string[]): void
  /** Another server names a key that this one does not know. */
  lookFor(key: string): void
}

/** The keys of a server that encrypts nothing. */
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
