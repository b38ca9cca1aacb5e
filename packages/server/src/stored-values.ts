/** How bytes of a store are read without a server: for programs that look into a store, or into a copy of one. */
export { isSealed, sealText } from './codec/sealed-bytes.ts'
export { type StoredType, storedTypeIn } from './codec/stored-version.ts'
export { builtInResources, ConfigurationProblem } from './configuration/index.ts'
export { Encryption } from './encryption/encryption.ts'
export {
  readConfigurationFile,
  UnusableConfiguration,
  understandConfiguration,
} from './encryption/read-configuration.ts'
export { RevisionCompacted, StoreUnavailable } from './store/errors.ts'
export { openEtcd } from './store/open.ts'
export type { Entry, Store } from './store/store.ts'
