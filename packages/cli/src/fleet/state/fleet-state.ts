/**
 * What a running `strata up` shows of itself: `GET /playground/v1/fleet` sends it as JSON. Fields are only added. The dashboard
 * and the commands read it; neither asks the process table.
 */
export interface FleetState {
  readonly servers: readonly ServerView[]
  /** The releases that the kinds of `--resources` know, oldest first. Empty if they know none. */
  readonly releases: readonly string[]
  /** The modules of --resources. */
  readonly resources: readonly string[]
  /** The last roll; null before the first one. */
  readonly roll: RollView | null
  readonly load: LoadView | null
  /** Those that were played, by `strata playground scene`. */
  readonly scenes: readonly SceneView[]
}

/**
 * `draining`: asked to stop, and finishing its requests. `crashed`: its process has ended by itself, and is started again soon.
 * `starting`: the process runs, and is not ready. `freezing`: it is stopped, and thawed again if that
 * keeps the others from writing.
 */
export type ServerState = 'ready' | 'starting' | 'draining' | 'stopped' | 'crashed' | 'freezing' | 'frozen'

export interface ServerView {
  readonly name: string
  /** `--instance`, as in `strata status`. */
  readonly instance: string
  /** The name in agreement records and of its identity Lease. */
  readonly serverID: string
  readonly release: string
  readonly pid: number | null
  readonly url: string
  readonly state: ServerState
  /** Since when it is in that state. */
  readonly since: string
  /** Why it is not ready, if that is known. */
  readonly message?: string
}

/** `failed`: a server did not become ready. It can be resumed, which waits again, and gone back from. */
export type RollPhase = 'running' | 'paused' | 'going-back' | 'done' | 'failed'

export interface RollView {
  readonly from: string
  readonly to: string
  /** `back` once it was asked to go back, also when it is done. */
  readonly direction: 'forward' | 'back'
  readonly state: RollPhase
  /** How many servers run the release that the roll goes to: `from` while it goes back. */
  readonly step: number
  readonly of: number
  readonly message: string
}

export interface LoadView {
  readonly writesPerSecond: number
  /** Acknowledged writes. */
  readonly written: number
  /** Writes that were answered with an error, or never arrived. */
  readonly refused: number
  /** Writes without an answer: they may be stored. */
  readonly unknown: number
}

/** `proven`: its sentence was observed. `not-shown`: the scene ended, and `sentence` says what was seen instead. */
export type ScenePhase = 'playing' | 'proven' | 'not-shown' | 'stopped'

export interface SceneView {
  readonly name: string
  readonly title: string
  /** What the scene is about to show. */
  readonly proves: string
  readonly state: ScenePhase
  readonly steps: readonly SceneStepView[]
  /** What was observed; empty before the end. */
  readonly sentence: string
  /** What its steps took together, without the time for reading; once it has ended. */
  readonly tookMs?: number
}

export interface SceneStepView {
  readonly text: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** What the step saw. */
  readonly seen?: string
  readonly tookMs?: number
}
