export { startCompactor } from './compactor.ts'
export { createEtcdStore, type EtcdStore } from './etcd-store.ts'
