/** One recorded step, played against a server. */
export interface StepResult {
  /** `area/name of the step`. */
  readonly id: string
  readonly ok: boolean
  /** What differs, for people; empty when nothing does. */
  readonly why: string
}
