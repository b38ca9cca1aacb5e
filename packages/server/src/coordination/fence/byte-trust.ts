import { type AgreementEntry, type AgreementStatus, groupResourceText } from '@strata/api'
import type { Codec } from '../../codec/index.ts'
import type { Revision } from '../../store/index.ts'
import { encodingText } from '../record/decide-agreement.ts'

/** Stored bytes may be served as they are if every server has encoded as this one does since they were written. */
export class ByteTrust {
  /** The epoch in which the bytes were last trusted, by resource. */
  readonly #epochs = new Map<string, number>()

  /** `own`: the entry of this server, as it is in the record or would be. */
  learn(codec: Codec, own: AgreementEntry, status: AgreementStatus, revision: Revision): void {
    const { epoch, encodings, epochRevision } = status
    const name = groupResourceText(codec.definition)
    const [only, ...others] = encodings
    const isLeft = (status.looseUntilSettled ?? []).length > 0
    const isUniform = !own.refusesWrites && !isLeft && only === encodingText(own) && others.length === 0
    // Objects of another epoch may be encoded differently, even if this server saw no record of that epoch.
    if (!isUniform || this.#epochs.get(name) !== epoch) codec.trust.mixed(revision)
    if (!isUniform) return
    codec.trust.uniform(epochRevision ?? revision)
    this.#epochs.set(name, epoch)
  }
}
