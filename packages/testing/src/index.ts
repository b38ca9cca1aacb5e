export type { Cluster, ClusterOptions, ListenChoice, RequestsAs, TestUser, TimeOptions } from './cluster.ts'
export { startCluster } from './start-cluster.ts'
export type { ClusterTime } from './steered-clock.ts'
