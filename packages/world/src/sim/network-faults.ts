export interface NetworkFaults {
  readonly minDelayMs: number
  readonly maxDelayMs: number
  /** The chance, for each request, answer and chunk, that the connection breaks instead of carrying it. */
  readonly dropRate: number
  /** The chance that an idempotent request is carried out twice, as some proxies and clients do. */
  readonly repeatRate: number
  /** A connection breaks when its way has been cut for so long; a shorter partition only delays. */
  readonly partitionTimeoutMs: number
  /** How many chunks of a stream may be unread before the sender has to wait. */
  readonly windowChunks: number
}

export const NO_FAULTS: NetworkFaults = {
  minDelayMs: 0.2,
  maxDelayMs: 2,
  dropRate: 0,
  repeatRate: 0,
  partitionTimeoutMs: 2000,
  windowChunks: 8,
}
