/** The server cannot start as it was told to; the message names the flag and what would be right. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem'
  /** Nothing need be wrong with what was typed: the same may do later, or once something else runs, or has ended. */
  readonly isTransient: boolean

  constructor(
    message: string,
    { isTransient = false, ...options }: ErrorOptions & { isTransient?: boolean } = {},
  ) {
    super(message, options)
    this.isTransient = isTransient
  }
}

/** The operating system's word for what went wrong, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
