export { loadCiphers, loadKms } from './ciphers.ts'
export type { EncryptionConfiguration } from './configuration.ts'
export { ConfigurationWatch, type ReloadStatus } from './configuration-watch.ts'
export { decideReload, mayBeUnused, type ReloadedResource } from './decide-reload.ts'
export { EncryptedStore } from './encrypted-store.ts'
export { Encryption } from './encryption.ts'
export { warnAboutReaders } from './file-readers.ts'
export type { KmsClient } from './kms/kms-client.ts'
export { parseConfiguration } from './parse-configuration.ts'
export {
  readConfigurationFile,
  UnusableConfiguration,
  understandConfiguration,
} from './read-configuration.ts'
export { warnAboutNames } from './unmatched-names.ts'
