/** One recorded step, played against a server. */
export interface StepResult {
  /** `area/name of the step`. */
  readonly id: string
  readonly ok: boolean
  /** The differences, as text; empty if there are none. */
  readonly why: string
}
