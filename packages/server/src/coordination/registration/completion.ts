/** When registration is complete. The registrar and the gap keeper each have one. */
export class Completion {
  readonly #allRegistered = Promise.withResolvers<void>()
  readonly #complete = Promise.withResolvers<void>()
  /** Resolves when every resource of the program is registered, whether or not it may be written (rule 12). */
  readonly allRegistered = this.#allRegistered.promise
  /** Resolves when every resource of the program is registered, and may be written, at the same time. */
  readonly complete = this.#complete.promise
  #isComplete = false

  constructor() {
    // A caller that awaits these gets the error. Without a caller, these handlers keep Node from ending the process.
    this.allRegistered.catch(() => {})
    this.complete.catch(() => {})
  }

  observe(now: { readonly pending: readonly string[]; readonly refusing: readonly string[] }): void {
    if (this.#isComplete || now.pending.length > 0) return
    this.#allRegistered.resolve()
    if (now.refusing.length > 0) return
    this.#isComplete = true
    this.#complete.resolve()
  }

  /** Registration will never be complete. */
  giveUp(why: string): void {
    this.#allRegistered.reject(new Error(why))
    this.#complete.reject(new Error(why))
  }
}
