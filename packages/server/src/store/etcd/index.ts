export { startCompactor } from './compactor.ts'
export { createEtcdStore, type EtcdStore, type EtcdStoreOptions } from './etcd-store.ts'
export type { EtcdTls, SessionTiming } from './session.ts'
