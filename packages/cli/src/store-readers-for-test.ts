/** What reads the files and values of etcd, for the fuzzer. */
export { boltFile, withChecksum } from './etcd-file/bolt-file-for-test.ts'
export { DamagedFile } from './etcd-file/damaged-file.ts'
export { lastRevision, latestEntries } from './etcd-file/latest-entries.ts'
export { randomAccessOf } from './etcd-file/random-access.ts'
export { checkSnapshot } from './etcd-file/snapshot-checksum.ts'
export { placeOf } from './stored/key-place.ts'
export { readValue } from './stored/read-value.ts'
