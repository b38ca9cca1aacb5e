import { type AgreementEntry, type AgreementStatus, groupResourceText } from '@strata/api'
import type { Codec } from '../../codec/index.ts'
import type { Revision } from '../../store/index.ts'
import { encodingText } from '../record/decide-agreement.ts'

/** Bytes may be served as they are while, and as far back as, everyone encodes as we do. */
export class ByteTrust {
  /** In which epoch the bytes were last trusted, by resource. */
  readonly #epochs = new Map<string, number>()

  /** `own`: what this server writes of it, as the record says, or would say. */
  learn(codec: Codec, own: AgreementEntry, status: AgreementStatus, revision: Revision): void {
    const { epoch, encodings, epochRevision } = status
    const name = groupResourceText(codec.definition)
    const [only, ...others] = encodings
    const isLeft = (status.looseUntilSettled ?? []).length > 0
    const isUniform = !own.refusesWrites && !isLeft && only === encodingText(own) && others.length === 0
    // What was written in another epoch may have been encoded otherwise, even if no moment of that was seen here.
    if (!isUniform || this.#epochs.get(name) !== epoch) codec.trust.mixed(revision)
    if (!isUniform) return
    codec.trust.uniform(epochRevision ?? revision)
    this.#epochs.set(name, epoch)
  }
}
