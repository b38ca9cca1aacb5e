interface InRecord {
  readonly epoch?: number
  readonly recordUID?: string | undefined
}

/** Whether both are about one agreement record. Where one does not name it, as servers of before, the epoch has to do. */
export function isSameRecord(said: InRecord, target: InRecord): boolean {
  return said.recordUID === undefined || target.recordUID === undefined || said.recordUID === target.recordUID
}

/** Whether both are about one epoch. A record that was lost and made anew counts from 1, and comes to the same number again. */
export function isSameEpoch(said: InRecord, target: InRecord): boolean {
  return said.epoch === target.epoch && isSameRecord(said, target)
}
