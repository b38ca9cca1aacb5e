export type ServerName = 'a' | 'b' | 'c'
export const serverNames: readonly [ServerName, ...ServerName[]] = ['a', 'b', 'c']
/** A place in the network: this process with all clients, a server, or a node of etcd. */
export type Place = 'clients' | ServerName | `etcd-${0 | 1 | 2}`

/** The network between all places. Each direction between two of them can be cut by itself. */
export interface Network {
  readonly kind: 'namespaces' | 'loopback'
  /** Whether nodes of etcd can be cut off from each other. */
  readonly cutsPeers: boolean
  /** The address that a program at this place listens on. */
  hostOf(place: Place): string
  /** A command that runs another one at this place. */
  commandAt(place: Place): readonly string[]
  /** `host:port` by which `from` reaches a port of `to`. */
  reach(from: Place, to: Place, port: number): Promise<string>
  /** From now on nothing gets from `from` to `to`. The other direction is as before. */
  cut(from: Place, to: Place): Promise<void>
  /** Packets that were sent meanwhile may still arrive, as in a real network. */
  heal(from: Place, to: Place): Promise<void>
  close(): Promise<void>
}
