import type { SavedBytes } from '../../stored/save-bytes.ts'

/** How the bytes come back: the same key, by etcdctl. */
export const savedText = ({ file, size, key }: SavedBytes): string =>
  `its ${size} bytes are in ${file} (etcdctl put ${key} < that file stores them again)`
