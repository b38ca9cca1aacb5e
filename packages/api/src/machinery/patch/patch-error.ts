/**
 * - `malformed`: not a patch at all. Upstream answers 400 with the message.
 * - `too-many-operations`: 413 with the message.
 * - `copy-too-large`, `test-failed`, `not-applicable`: a patch that does not fit this object. Upstream
 *   answers all of them with 422 and one general sentence; the message is for logs and for people.
 * - `unexpected`: what upstream passes on without thinking of a code: 500 with the message and without a reason.
 */
export type PatchErrorCode =
  | 'malformed'
  | 'too-many-operations'
  | 'copy-too-large'
  | 'test-failed'
  | 'not-applicable'
  | 'unexpected'

export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly code: PatchErrorCode
  constructor(code: PatchErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
