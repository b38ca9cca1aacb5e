import type { Store } from '@strata/server/store'
import type { EtcdCluster } from '../../support/etcd.ts'
import type { MountedDisk } from '../../support/small-disk.ts'
import type { Place, ServerName } from './network.ts'

export type StoreKind = 'sqlite' | 'etcd'

/** The store below all servers, with what an operator can do to it. */
export interface StoreHome {
  readonly kind: StoreKind
  /** Undefined unless the store is etcd. */
  readonly etcd: EtcdCluster | undefined
  /** Those that can be filled and frozen; none without root. */
  readonly disks: readonly MountedDisk[]
  /** By which servers identify themselves to etcd. A server reads its file when it starts. */
  readonly clientCertificates: ClientCertificates | undefined
  /** Flags by which a program at this place finds the store. */
  flagsFor(place: Place): Promise<readonly string[]>
  /** As seen from the clients, past all servers. */
  open(): Promise<Store>
  /** Copies what is stored at one moment; replaces the copy before. Returns how it was done. */
  backup(way: number): Promise<string>
  /** Puts the copy in the place of what is stored. `beforeServing` is called when the old store is gone. */
  restore(beforeServing: () => void): Promise<void>
  stop(): Promise<void>
}

export interface ClientCertificates {
  fileOf(server: ServerName): string
  readonly valid: string
  readonly expired: string
}
