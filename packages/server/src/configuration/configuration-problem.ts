/** The server cannot start with these flags. The message names the flag and what to change. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem'
  /** The same flags may work later, for example once another process has started or stopped. */
  readonly isTransient: boolean

  constructor(
    message: string,
    { isTransient = false, ...options }: ErrorOptions & { isTransient?: boolean } = {},
  ) {
    super(message, options)
    this.isTransient = isTransient
  }
}

/** The error code of the operating system, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
