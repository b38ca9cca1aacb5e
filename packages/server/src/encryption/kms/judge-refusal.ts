import { GRPC, RpcError } from '../../store/index.ts'
import { CannotOpen } from '../sealing-key.ts'

/** What a failed decryption means for later ones. */
export interface Refusal {
  /** Concerns only this seed: others may be requested at once. Otherwise it concerns the plugin, whatever is requested. */
  readonly isAboutSeed: boolean
  /** A retry may succeed without any action. */
  readonly isPassing: boolean
}

/** Codes that do not depend on the request. */
const aboutPlugin: ReadonlySet<number> = new Set([
  GRPC.cancelled,
  GRPC.deadlineExceeded,
  GRPC.resourceExhausted,
  GRPC.unavailable,
])

/** Codes that no retry cures: the key is destroyed or disabled, or did not seal the value. */
const lasting: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.notFound,
  GRPC.failedPrecondition,
  GRPC.outOfRange,
  GRPC.dataLoss,
])

/**
 * Most plugins answer every failure with Unknown, whether the key is gone or its backend is unreachable. So it may be temporary,
 * and still concerns only this seed. Otherwise: one key is destroyed, the plugin reports that once a second, and nothing under
 * other keys is requested in between.
 */
export function judgeRefusal(error: unknown): Refusal {
  // It was decrypted, and is not a key.
  if (error instanceof CannotOpen) return { isAboutSeed: true, isPassing: error.isPassing }
  if (!(error instanceof RpcError) || aboutPlugin.has(error.code))
    return { isAboutSeed: false, isPassing: true }
  return { isAboutSeed: true, isPassing: !lasting.has(error.code) }
}
