import { DurationValue, fail, TimestampValue, type Value } from '../evaluation/value.ts'

const minSeconds = -62_135_596_800n
const maxSeconds = 253_402_300_799n
const NANOS = 1_000_000_000n

/** Accepts the years 1 to 9999 only. */
export function checkedTimestamp(nanos: bigint, offsetSeconds = 0): Value {
  const isInRange = nanos >= minSeconds * NANOS && nanos < (maxSeconds + 1n) * NANOS
  return isInRange ? new TimestampValue(nanos, offsetSeconds) : fail('timestamp overflow')
}

export function checkedDuration(nanos: bigint): Value {
  return BigInt.asIntN(64, nanos) === nanos ? new DurationValue(nanos) : fail('duration overflow')
}
