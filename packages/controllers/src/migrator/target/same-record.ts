interface InRecord {
  readonly epoch?: number
  readonly recordUID?: string | undefined
}

/** Whether both are about one agreement record. If one does not name it, as in earlier releases, only the epoch counts. */
export function isSameRecord(said: InRecord, target: InRecord): boolean {
  return said.recordUID === undefined || target.recordUID === undefined || said.recordUID === target.recordUID
}

/** Whether both are about one epoch. A record that was created again counts from 1, and reaches the same number again. */
export function isSameEpoch(said: InRecord, target: InRecord): boolean {
  return said.epoch === target.epoch && isSameRecord(said, target)
}
