/**
 * Trying again cannot help; only a change of the object can. Everything else that a reconciler throws is
 * tried again, because a failing world is not an answer.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
