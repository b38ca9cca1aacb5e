import { GRPC, RpcError } from '../../store/index.ts'
import { CannotOpen } from '../sealing-key.ts'

/** What a question that was not answered with a key says about the next ones. */
export interface Refusal {
  /** About this seed alone: others may be asked for at once. Else it is about the plugin, whatever is asked. */
  readonly isAboutSeed: boolean
  /** It may well be answered otherwise in a moment, without anybody doing anything. */
  readonly isPassing: boolean
}

/** Answers that have nothing to do with what was asked. */
const aboutPlugin: ReadonlySet<number> = new Set([
  GRPC.cancelled,
  GRPC.deadlineExceeded,
  GRPC.resourceExhausted,
  GRPC.unavailable,
])

/** Answers that come after a look at what was asked: the key is destroyed or disabled, or nothing that it has sealed. */
const lasting: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.notFound,
  GRPC.failedPrecondition,
  GRPC.outOfRange,
  GRPC.dataLoss,
])

/**
 * Most plugins answer everything with Unknown, be it that the key is gone or that they cannot reach what holds it: so that may
 * pass, and is still about this seed. Otherwise: one key is destroyed, the plugin says so once a second, and nothing that is
 * under the others is asked for in between.
 */
export function judgeRefusal(error: unknown): Refusal {
  // It was decrypted, and is no key.
  if (error instanceof CannotOpen) return { isAboutSeed: true, isPassing: error.isPassing }
  if (!(error instanceof RpcError) || aboutPlugin.has(error.code))
    return { isAboutSeed: false, isPassing: true }
  return { isAboutSeed: true, isPassing: !lasting.has(error.code) }
}
