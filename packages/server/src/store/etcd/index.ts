export { COMPACTION_INTERVAL_MS, type CompactorOptions, startCompactor } from './compactor.ts'
export { createEtcdStore, type EtcdStore, type EtcdStoreOptions } from './etcd-store.ts'
export type { EtcdTls } from './open-socket.ts'
export type { SessionTiming } from './session.ts'
