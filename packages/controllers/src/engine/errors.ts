/**
 * A retry cannot help; only a change of the object can. Every other error of a reconciler is retried.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
